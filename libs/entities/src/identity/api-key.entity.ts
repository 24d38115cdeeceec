import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { Row } from '../row';
import type { StoredRateLimit, StoredUsageLimit } from './limits';
import { OrganisationEntity } from './organisation.entity';
import { UserEntity } from './user.entity';
import { WorkspaceEntity } from './workspace.entity';

/**
 * Rotation policy in the normalised form of the public API. At most one of `rotation_period` and
 * `rotation_period_days` is set.
 */
export interface StoredRotationPolicy {
  readonly rotation_period: 'weekly' | 'monthly' | null;
  readonly rotation_period_days: number | null;
  /** ISO 8601, midnight UTC. */
  readonly next_rotation_at: string | null;
  readonly key_transition_period_ms: number;
}

/** Which MCP servers and tools a key may use. Null: all. */
export interface StoredMcpAccess {
  /** Slugs of servers. */
  readonly servers: readonly string[] | null;
  /** `server/tool`, or `server/*` for all of a server. */
  readonly tools: readonly string[] | null;
  /** Only tools whose approved definition says that they change nothing. */
  readonly read_only: boolean;
}

/** An API key. Its secrets are rows of `api_key_secrets`. */
@Entity('api_keys')
// These indexes use an expression or INCLUDE columns, which TypeORM cannot declare.
@Index('api_keys_default_config_ix', { synchronize: false })
@Index('api_keys_next_rotation_ix', { synchronize: false })
@Index('api_keys_organisation_created_at_ix', { synchronize: false })
@Index('api_keys_organisation_status_ix', { synchronize: false })
@Index('api_keys_workspace_created_at_ix', { synchronize: false })
export class ApiKeyEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'api_keys_pk' })
  id!: string;

  @Column({ name: 'type', type: 'varchar', length: 32 })
  type!: 'organisation-service' | 'workspace-service' | 'workspace-user';

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'api_keys_organisation_fk' })
  organisationId!: string;

  /** Null for an organisation key only. */
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'api_keys_workspace_fk' })
  workspaceId!: string | null;

  /** Set for a user key only. */
  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  @ForeignKey(() => UserEntity, { name: 'api_keys_user_fk' })
  @Index('api_keys_user_id_ix')
  userId!: string | null;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'varchar', length: 1024, nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'exhausted' | 'expired' | 'archived';

  @Column({ name: 'scopes', type: 'text', array: true })
  scopes!: string[];

  @Column({ name: 'rate_limits', type: 'jsonb', nullable: true })
  rateLimits!: StoredRateLimit[] | null;

  @Column({ name: 'usage_limits', type: 'jsonb', nullable: true })
  usageLimits!: StoredUsageLimit | null;

  @Column({ name: 'default_metadata', type: 'jsonb', nullable: true })
  defaultMetadata!: Readonly<Record<string, string>> | null;

  /** Id of a config of the workspace. */
  @Column({ name: 'default_config_id', type: 'uuid', nullable: true })
  defaultConfigId!: string | null;

  @Column({ name: 'allow_config_override', type: 'boolean', default: true })
  allowConfigOverride!: boolean;

  /** Null for no restriction. */
  @Column({ name: 'mcp', type: 'jsonb', nullable: true })
  mcp!: StoredMcpAccess | null;

  @Column({ name: 'alert_emails', type: 'text', array: true, nullable: true })
  alertEmails!: string[] | null;

  @Index('api_keys_expires_at_ix')
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  @Column({ name: 'creation_mode', type: 'varchar', length: 8, default: 'api' })
  creationMode!: 'ui' | 'api' | 'auto';

  @Column({ name: 'rotation_policy', type: 'jsonb', nullable: true })
  rotationPolicy!: StoredRotationPolicy | null;

  @Column({ name: 'last_rotated_at', type: 'timestamptz', precision: 3, nullable: true })
  lastRotatedAt!: Date | null;

  /** When the owner was notified of the next rotation. */
  @Column({ name: 'rotation_warned_at', type: 'timestamptz', precision: 3, nullable: true })
  rotationWarnedAt!: Date | null;

  /** Time of the last reset of a budget of the key. */
  @Column({ name: 'last_reset_at', type: 'timestamptz', precision: 3, nullable: true })
  lastResetAt!: Date | null;

  /**
   * User who created a service key, or who created the key that created it; null for keys that
   * Tollgate's own processes created.
   */
  @Column({ name: 'made_by', type: 'uuid', nullable: true })
  @ForeignKey(() => UserEntity, { name: 'api_keys_made_by_fk' })
  madeBy!: string | null;

  /**
   * Group whose security settings restrict a service key: that of its creator at the time. Null for
   * no restriction.
   */
  @Column({ name: 'bound_as', type: 'varchar', length: 24, nullable: true })
  boundAs!: 'members' | 'managers' | 'organisationAdmins' | null;

  /** Rank of the caller that last set the key's limits, expiry or config; 0 is its user. */
  @Column({ name: 'limits_rank', type: 'smallint', default: 0 })
  limitsRank!: number;
}
