import {
  ResponseField,
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

class AuditHeadResponse {
  @ResponseField.integer({ description: 'Of the newest record; 0 before the first.', example: 42 })
  readonly sequence!: number;
  @ResponseField.text({ description: 'SHA-256, hex.', example: '9f86d081884c7d659a2feaa0c55ad015' })
  readonly hash!: string;
}

/** Whether the records are as they were written. */
export class AuditVerificationResponse {
  @ResponseField.kind('audit-verification') readonly object!: 'audit-verification';
  @ResponseField.boolean({ description: 'False: a record was changed, taken out, put in or moved.' })
  readonly valid!: boolean;
  @ResponseField.integer({ example: 42 }) readonly checked!: number;
  @ResponseField.integer({ nullable: true, description: 'The first sequence that is wrong.', example: null })
  readonly broken_at!: number | null;
  @ResponseField.integer({ nullable: true, description: 'Where the next part begins.', example: null })
  readonly next_sequence!: number | null;
  @ResponseField.one(() => AuditHeadResponse) readonly head!: AuditHeadResponse;
}

/** One change or one refused attempt. */
export class AuditRecordResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.time() readonly timestamp!: string;
  @ResponseField.text({ example: 'POST' }) readonly method!: string;
  @ResponseField.text({ example: '/v1/api-keys' }) readonly uri!: string;
  @ResponseField.text({ nullable: true, example: 'req-1' }) readonly request_id!: string | null;
  @ResponseField.uuid({ nullable: true, description: 'The user or the API key.' }) readonly user_id!:
    string | null;
  @ResponseField.oneOf(['user', 'api_key', 'system']) readonly user_type!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @ResponseField.integer({ example: 200 }) readonly response_status_code!: number;
  @ResponseField.text({ nullable: true, example: 'scope_missing' }) readonly error_type!: string | null;
  @ResponseField.text({ example: 'api_keys' }) readonly resource_type!: string;
  @ResponseField.text({ nullable: true }) readonly resource_id!: string | null;
  @ResponseField.text({ example: 'create' }) readonly action!: string;
  @ResponseField.json({ nullable: true }) readonly before!: object | null;
  @ResponseField.json({ nullable: true }) readonly after!: object | null;
  @ResponseField.text({ nullable: true, example: '192.0.2.7' }) readonly client_ip!: string | null;
  @ResponseField.text({ nullable: true, example: 'curl/8' }) readonly user_agent!: string | null;
  @ResponseField.integer({
    nullable: true,
    description: 'Place in the chain; null before it began.',
    example: 42,
  })
  readonly sequence!: number | null;
  @ResponseField.text({ nullable: true, description: 'Of the record before.', example: '9f86d081884c7d65' })
  readonly previous_hash!: string | null;
  @ResponseField.text({ nullable: true, example: '60303ae22b998861' }) readonly hash!: string | null;
}

export class AuditRecordsResponse {
  @ResponseField.list(() => AuditRecordResponse) readonly records!: AuditRecordResponse[];
  @ResponseField.integer({ description: 'Of all pages.', example: 1 }) readonly total!: number;
  @ResponseField.kind('list') readonly object!: 'list';
}
