import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { Row } from '../row';

export type LogExportStatus = 'draft' | 'in_progress' | 'success' | 'failed' | 'stopped';

/**
 * A file of logs that is made in the background: in parts, each durable before the next one is
 * begun.
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

  /** As the caller wrote them. */
  @Column({ name: 'filters', type: 'jsonb' })
  filters!: Readonly<Record<string, unknown>>;

  /** Ids of fields, in the order of `LOG_EXPORT_FIELDS`. */
  @Column({ name: 'requested_data', type: 'jsonb' })
  requestedData!: readonly string[];

  /** The user or the API key. */
  @Column({ name: 'created_by', type: 'uuid', nullable: true })
  createdBy!: string | null;

  /** User of the key or session that created the export. */
  @Column({ name: 'attributed_user_id', type: 'uuid', nullable: true })
  attributedUserId!: string | null;

  /** Whose logs alone are exported; null: those of the whole workspace. */
  @Column({ name: 'only_user_id', type: 'uuid', nullable: true })
  onlyUserId!: string | null;

  /** Rows that matched when it was written or changed; at most 1,000,000 are counted. */
  @Column({ name: 'total', type: 'integer', default: 0 })
  total!: number;

  /** Rises with each start; part of the keys of its files. */
  @Column({ name: 'run', type: 'integer', default: 0 })
  run!: number;

  /** Later logs are not part of this run. */
  @Column({ name: 'until', type: 'timestamptz', precision: 3, nullable: true })
  until!: Date | null;

  @Column({ name: 'rows_done', type: 'integer', default: 0 })
  rowsDone!: number;

  @Column({ name: 'bytes_done', type: 'bigint', default: 0 })
  bytesDone!: string;

  /** The last row of the last part. */
  @Column({ name: 'position', type: 'jsonb', nullable: true })
  position!: { readonly createdAt: string; readonly id: string } | null;

  /** Why it failed, in words for its owner. */
  @Column({ name: 'failure', type: 'text', nullable: true })
  failure!: string | null;

  /** The worker that writes it; another one takes over when the lease runs out. */
  @Column({ name: 'lease_owner', type: 'varchar', length: 64, nullable: true })
  leaseOwner!: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil!: Date | null;

  /** Workers that died while they held it, since its last part. */
  @Column({ name: 'workers_lost', type: 'integer', default: 0 })
  workersLost!: number;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt!: Date | null;
}

/** A finished piece of an export's file; the pieces one after the other are the file. */
@Entity('log_export_parts')
export class LogExportPartEntity {
  @PrimaryColumn({ name: 'export_id', type: 'uuid', primaryKeyConstraintName: 'log_export_parts_pk' })
  @ForeignKey(() => LogExportEntity, { name: 'log_export_parts_export_fk' })
  exportId!: string;

  /** From 0. */
  @PrimaryColumn({ name: 'number', type: 'integer', primaryKeyConstraintName: 'log_export_parts_pk' })
  number!: number;

  /** Key of the object. */
  @Column({ name: 'key', type: 'text' })
  key!: string;

  @Column({ name: 'bytes', type: 'integer' })
  bytes!: number;

  @Column({ name: 'rows', type: 'integer' })
  rows!: number;

  /** Facts about this part for the end of the file. */
  @Column({ name: 'meta', type: 'jsonb', nullable: true })
  meta!: object | null;
}
