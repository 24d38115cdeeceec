import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { PlainRow } from '../row';

/**
 * Record of a change or of a refused attempt. `appendAudit` writes it in the transaction of the
 * change and links it to the previous row; the database refuses to change or delete it. It contains
 * no secrets: `before`, `after` and the request are masked beforehand. It has no foreign keys,
 * because it outlives the resources that it names.
 */
@Entity('audit_logs')
@Index('audit_logs_organisation_created_at_ix', ['organisationId', 'createdAt', 'id'])
@Index('audit_logs_organisation_sequence_uq', ['organisationId', 'sequence'], { unique: true })
export class AuditLogEntity extends PlainRow {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'audit_logs_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  organisationId!: string;

  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  workspaceId!: string | null;

  @Column({ name: 'user_type', type: 'varchar', length: 16 })
  userType!: 'user' | 'api_key' | 'system';

  /** Id of the user or of the API key; null for Tollgate's own processes. */
  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  userId!: string | null;

  @Column({ name: 'action', type: 'varchar', length: 32 })
  action!: string;

  @Column({ name: 'resource_type', type: 'varchar', length: 64 })
  resourceType!: string;

  @Column({ name: 'resource_id', type: 'varchar', length: 255, nullable: true })
  resourceId!: string | null;

  /** The public form of the resource before and after the change; null if it did not exist. */
  @Column({ name: 'before', type: 'jsonb', nullable: true })
  before!: object | null;

  @Column({ name: 'after', type: 'jsonb', nullable: true })
  after!: object | null;

  @Column({ name: 'method', type: 'varchar', length: 16 })
  method!: string;

  @Column({ name: 'uri', type: 'varchar', length: 2048 })
  uri!: string;

  @Column({ name: 'request_id', type: 'varchar', length: 128, nullable: true })
  requestId!: string | null;

  @Column({ name: 'response_status_code', type: 'integer' })
  responseStatusCode!: number;

  /** `type` of the error of a refused attempt; null for a change. */
  @Column({ name: 'error_type', type: 'varchar', length: 64, nullable: true })
  errorType!: string | null;

  @Column({ name: 'client_ip', type: 'varchar', length: 64, nullable: true })
  clientIp!: string | null;

  @Column({ name: 'user_agent', type: 'varchar', length: 512, nullable: true })
  userAgent!: string | null;

  /**
   * Position in the organisation's chain, from 1 on without gaps; null for rows that are older than
   * the chain.
   */
  @Column({ name: 'sequence', type: 'bigint', nullable: true })
  sequence!: string | null;

  /** `hash` of the previous row; zeros for the first. */
  @Column({ name: 'previous_hash', type: 'char', length: 64, nullable: true })
  previousHash!: string | null;

  /** SHA-256 of `previous_hash`, `sequence` and the content, hex. */
  @Column({ name: 'hash', type: 'char', length: 64, nullable: true })
  hash!: string | null;
}
