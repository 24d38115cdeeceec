import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

export type LogExportStatus = 'draft' | 'in_progress' | 'success' | 'failed' | 'stopped';

/**
 * A file of logs that a worker writes in parts; each part is durable before the next one starts.
 */
@Entity('log_exports')
@Index('log_exports_page_ix', ['workspaceId', 'createdAt', 'id'])
@Index('log_exports_due_ix', ['leaseUntil'], { where: `status = 'in_progress'` })
@Check('log_exports_status_ck', `status IN ('draft', 'in_progress', 'success', 'failed', 'stopped')`)
@Check('log_exports_format_ck', `format IN ('jsonl', 'parquet')`)
export class LogExportEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'log_exports_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'log_exports_organisation_fk' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid' })
  @ForeignKey(() => WorkspaceEntity, { name: 'log_exports_workspace_fk' })
  workspaceId!: string;

  @Column({ name: 'status', type: 'varchar', length: 16 })
  status!: LogExportStatus;

  @Column({ name: 'description', type: 'varchar', length: 1000, nullable: true })
  description!: string | null;

  @Column({ name: 'format', type: 'varchar', length: 8 })
  format!: 'jsonl' | 'parquet';

  /** Filters as the caller sent them. */
  @Column({ name: 'filters', type: 'jsonb' })
  filters!: Readonly<Record<string, unknown>>;

  /** Ids of fields, in the order of `LOG_EXPORT_FIELDS`. */
  @Column({ name: 'requested_data', type: 'jsonb' })
  requestedData!: readonly string[];

  /** Id of the user or API key that created the export. */
  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;

  /** User of the key or session that created the export. */
  @Column({ name: 'attributed_user_id', type: 'uuid', nullable: true })
  attributedUserId!: string | null;

  /** User whose logs are exported; null for all logs of the workspace. */
  @Column({ name: 'only_user_id', type: 'uuid', nullable: true })
  onlyUserId!: string | null;

  /** Number of matching rows when the export was created or changed; counted up to 1,000,000. */
  @Column({ name: 'total', type: 'integer', default: 0 })
  total!: number;

  /** Number of the run; each start increases it. It is part of the files' keys. */
  @Column({ name: 'run', type: 'integer', default: 0 })
  run!: number;

  /** End of the exported range; later logs are not exported. */
  @Column({ name: 'until', type: 'timestamptz', precision: 3, nullable: true })
  until!: Date | null;

  @Column({ name: 'rows_done', type: 'integer', default: 0 })
  rowsDone!: number;

  @Column({ name: 'bytes_done', type: 'bigint', default: 0 })
  bytesDone!: string;

  /** The last row of the last part. */
  @Column({ name: 'position', type: 'jsonb', nullable: true })
  position!: { readonly createdAt: string; readonly id: string } | null;

  /** Reason of the failure, as a message for the owner. */
  @Column({ name: 'failure', type: 'text', nullable: true })
  failure!: string | null;

  /** The worker that writes it; another one takes over when the lease runs out. */
  @Column({ name: 'lease_owner', type: 'varchar', length: 64, nullable: true })
  leaseOwner!: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** Number of workers that died while they held the lease, since the last part. */
  @Column({ name: 'workers_lost', type: 'integer', default: 0 })
  workersLost!: number;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;

  /** When the owner deleted it; a worker deletes its files, and then the row. */
  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}

/** A finished part of an export's file; the file is the concatenation of its parts. */
@Entity('log_export_parts')
export class LogExportPartEntity {
  @PrimaryColumn({ name: 'export_id', type: 'uuid', primaryKeyConstraintName: 'log_export_parts_pk' })
  @ForeignKey(() => LogExportEntity, { name: 'log_export_parts_export_fk' })
  exportId!: string;

  /** Number of the part, from 0. */
  @PrimaryColumn({ name: 'number', type: 'integer', primaryKeyConstraintName: 'log_export_parts_pk' })
  number!: number;

  /** Key of the object. */
  @Column({ name: 'key', type: 'text' })
  key!: string;

  @Column({ name: 'bytes', type: 'integer' })
  bytes!: number;

  @Column({ name: 'rows', type: 'integer' })
  rows!: number;

  /** Data about this part that the end of the file needs. */
  @Column({ name: 'meta', type: 'jsonb', nullable: true })
  meta!: object | null;
}
