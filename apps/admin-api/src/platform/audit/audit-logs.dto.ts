import {
  Answer,
  DateField,
  EnumField,
  pageOf,
  QueryIntegerField,
  ReferenceField,
  TextField,
  UuidField,
} from '@gw/web';

export class ListAuditLogsQuery extends pageOf({ size: 20, sizeMax: 100 }) {
  @DateField({ optional: true }) start_time?: string;
  @DateField({ optional: true }) end_time?: string;
  @EnumField(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { optional: true }) method?: string;
  @TextField({ optional: true, max: 2048 }) uri?: string;
  @TextField({ optional: true, max: 128 }) request_id?: string;
  @UuidField({ optional: true }) user_id?: string;
  @EnumField(['user', 'api_key', 'system'], { optional: true }) user_type?: 'user' | 'api_key' | 'system';
  @ReferenceField({ optional: true }) workspace_id?: string;
  @QueryIntegerField({ min: 100, max: 599 }) response_status_code?: number;
  @TextField({ optional: true, max: 64 }) resource_type?: string;
  @TextField({ optional: true, max: 32 }) action?: string;
  @TextField({ optional: true, max: 64 }) client_ip?: string;
}

export class VerifyAuditLogsQuery {
  @QueryIntegerField({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    fallback: 1,
    description: 'The first record to check.',
  })
  from_sequence!: number;
  @QueryIntegerField({ min: 1, max: 100_000, fallback: 10_000, description: 'Records to check at most.' })
  limit!: number;
}

class AuditHeadAnswer {
  @Answer.integer({ description: 'Of the newest record; 0 before the first.', example: 42 })
  readonly sequence!: number;
  @Answer.text({ description: 'SHA-256, hex.', example: '9f86d081884c7d659a2feaa0c55ad015' })
  readonly hash!: string;
}

/** Whether the records are as they were written. */
export class AuditVerificationAnswer {
  @Answer.kind('audit-verification') readonly object!: 'audit-verification';
  @Answer.boolean({ description: 'False: a record was changed, taken out, put in or moved.' })
  readonly valid!: boolean;
  @Answer.integer({ example: 42 }) readonly checked!: number;
  @Answer.integer({ nullable: true, description: 'The first sequence that is wrong.', example: null })
  readonly broken_at!: number | null;
  @Answer.integer({ nullable: true, description: 'Where the next part begins.', example: null })
  readonly next_sequence!: number | null;
  @Answer.one(() => AuditHeadAnswer) readonly head!: AuditHeadAnswer;
}

/** One change or one refused attempt. */
export class AuditRecordAnswer {
  @Answer.uuid() readonly id!: string;
  @Answer.time() readonly timestamp!: string;
  @Answer.text({ example: 'POST' }) readonly method!: string;
  @Answer.text({ example: '/v1/api-keys' }) readonly uri!: string;
  @Answer.text({ nullable: true, example: 'req-1' }) readonly request_id!: string | null;
  @Answer.uuid({ nullable: true, description: 'The user or the API key.' }) readonly user_id!: string | null;
  @Answer.oneOf(['user', 'api_key', 'system']) readonly user_type!: string;
  @Answer.uuid() readonly organisation_id!: string;
  @Answer.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @Answer.integer({ example: 200 }) readonly response_status_code!: number;
  @Answer.text({ nullable: true, example: 'scope_missing' }) readonly error_type!: string | null;
  @Answer.text({ example: 'api_keys' }) readonly resource_type!: string;
  @Answer.text({ nullable: true }) readonly resource_id!: string | null;
  @Answer.text({ example: 'create' }) readonly action!: string;
  @Answer.json({ nullable: true }) readonly before!: object | null;
  @Answer.json({ nullable: true }) readonly after!: object | null;
  @Answer.text({ nullable: true, example: '192.0.2.7' }) readonly client_ip!: string | null;
  @Answer.text({ nullable: true, example: 'curl/8' }) readonly user_agent!: string | null;
  @Answer.integer({ nullable: true, description: 'Place in the chain; null before it began.', example: 42 })
  readonly sequence!: number | null;
  @Answer.text({ nullable: true, description: 'Of the record before.', example: '9f86d081884c7d65' })
  readonly previous_hash!: string | null;
  @Answer.text({ nullable: true, example: '60303ae22b998861' }) readonly hash!: string | null;
}

export class AuditRecordsAnswer {
  @Answer.list(() => AuditRecordAnswer) readonly records!: AuditRecordAnswer[];
  @Answer.integer({ description: 'Of all pages.', example: 1 }) readonly total!: number;
  @Answer.kind('list') readonly object!: 'list';
}
