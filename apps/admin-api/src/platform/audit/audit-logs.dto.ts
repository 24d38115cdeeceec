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
  @TextField({ optional: true, max: 255 }) resource_id?: string;
  @TextField({ optional: true, max: 32 }) action?: string;
  @TextField({ optional: true, max: 64 }) client_ip?: string;
}

export class VerifyAuditLogsQuery {
  @QueryIntegerField({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    fallback: 1,
    description: 'Sequence number of the first record to check.',
  })
  from_sequence!: number;
  @QueryIntegerField({
    min: 1,
    max: 100_000,
    fallback: 10_000,
    description: 'Maximum number of records to check.',
  })
  limit!: number;
}

class AuditHeadResponse {
  @ResponseField.integer({
    description: 'Sequence number of the newest record; 0 when there is none.',
    example: 42,
  })
  readonly sequence!: number;
  @ResponseField.text({
    description: 'Hash of the newest record: SHA-256, hexadecimal; 64 zeros when there is no record.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  readonly hash!: string;
}

/** Whether the audit records are unchanged since they were written. */
export class AuditVerificationResponse {
  @ResponseField.kind('audit-verification') readonly object!: 'audit-verification';
  @ResponseField.boolean({ description: 'False when a record was changed, removed, inserted or moved.' })
  readonly valid!: boolean;
  @ResponseField.integer({ example: 42 }) readonly checked!: number;
  @ResponseField.integer({
    nullable: true,
    description: 'Sequence number of the first invalid record; null when the checked part is valid.',
    example: null,
  })
  readonly broken_at!: number | null;
  @ResponseField.integer({
    nullable: true,
    description:
      'Value of from_sequence that continues the check; null at the end of the chain and after an invalid record.',
    example: null,
  })
  readonly next_sequence!: number | null;
  @ResponseField.one(() => AuditHeadResponse) readonly head!: AuditHeadResponse;
}

/** An audit record: one change or one refused attempt. */
export class AuditRecordResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.time() readonly timestamp!: string;
  @ResponseField.text({ example: 'POST' }) readonly method!: string;
  @ResponseField.text({ example: '/v1/api-keys' }) readonly uri!: string;
  @ResponseField.text({ nullable: true, example: 'req-1' }) readonly request_id!: string | null;
  @ResponseField.uuid({ nullable: true, description: 'Id of the user or of the API key.' })
  readonly user_id!: string | null;
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
    description: 'Sequence number in the audit chain; null for records that are older than the chain.',
    example: 42,
  })
  readonly sequence!: number | null;
  @ResponseField.text({
    nullable: true,
    description:
      'Hash of the previous record; 64 zeros for the first record; null for records that are older than the chain.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  readonly previous_hash!: string | null;
  @ResponseField.text({
    nullable: true,
    description: 'Hash of this record; null for records that are older than the chain.',
    example: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  })
  readonly hash!: string | null;
}

export class AuditRecordsResponse {
  @ResponseField.list(() => AuditRecordResponse) readonly records!: AuditRecordResponse[];
  @ResponseField.integer({ description: 'Number of records on all pages.', example: 1 })
  readonly total!: number;
  @ResponseField.kind('list') readonly object!: 'list';
}
