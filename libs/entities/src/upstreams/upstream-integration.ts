import type { McpAuthType } from '@gw/contracts';
import { Column } from 'typeorm';
import type { StoredSecretMapping } from '../resources/integration.entity';
import { Row } from '../row';

/**
 * `degraded`: the upstream responds slowly or unexpectedly. `unauthorised`: it refuses the shared
 * credential. `unknown`: it was not checked since its address was saved.
 */
export type UpstreamHealthState = 'healthy' | 'degraded' | 'down' | 'unauthorised' | 'unknown';

/** Columns that integrations of MCP servers and of agents share. */
export abstract class UpstreamIntegration extends Row {
  abstract id: string;
  abstract organisationId: string;
  /** Null: the integration belongs to the organisation. Otherwise only this workspace sees it. */
  abstract workspaceId: string | null;

  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'text', nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /** Id of the user or key that created it. */
  @Column({ name: 'owner_id', type: 'varchar', length: 255, nullable: true })
  ownerId!: string | null;

  @Column({ name: 'url', type: 'varchar', length: 2048 })
  url!: string;

  @Column({ name: 'auth_type', type: 'varchar', length: 32 })
  authType!: McpAuthType;

  /** Configurations that are not secret. */
  @Column({ name: 'configurations', type: 'jsonb', default: {} })
  configurations!: Record<string, unknown>;

  /**
   * `seal()` of the secret configurations, bound to the organisation and the integration; null if
   * there are none.
   */
  @Column({ name: 'sealed_auth', type: 'text', nullable: true })
  sealedAuth!: string | null;

  /** Masked values of the sealed configurations for responses. */
  @Column({ name: 'masked_auth', type: 'jsonb', default: {} })
  maskedAuth!: Record<string, string | Record<string, string>>;

  @Column({ name: 'secret_mappings', type: 'jsonb', nullable: true })
  secretMappings!: StoredSecretMapping[] | null;

  /** Access of workspaces without a row for the integration; null for none. */
  @Column({ name: 'global_workspace_access', type: 'jsonb', nullable: true })
  globalWorkspaceAccess!: { readonly enabled: boolean } | null;

  @Column({ name: 'approval_mode', type: 'varchar', length: 16 })
  approvalMode!: 'auto' | 'review_changes' | 'review_all';

  /** Handling of calls of a changed capability until the change is approved. */
  @Column({ name: 'on_change', type: 'varchar', length: 16, default: 'block' })
  onChange!: 'block' | 'serve_approved';

  /** Timeout of a call in milliseconds; null for 120,000. */
  @Column({ name: 'timeout_ms', type: 'integer', nullable: true })
  timeoutMs!: number | null;

  @Column({ name: 'sync_status', type: 'varchar', length: 16, default: 'pending' })
  syncStatus!: 'pending' | 'synced' | 'failed';

  /** Time of the last successful sync. */
  @Column({ name: 'last_synced_at', type: 'timestamptz', precision: 3, nullable: true })
  lastSyncedAt!: Date | null;

  @Column({ name: 'sync_error', type: 'varchar', length: 1024, nullable: true })
  syncError!: string | null;

  @Column({ name: 'next_sync_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  nextSyncAt!: Date;

  @Column({ name: 'tags', type: 'jsonb', nullable: true })
  tags!: Record<string, string> | null;

  /** Person or team responsible for it, as free text. */
  @Column({ name: 'owner', type: 'varchar', length: 255, nullable: true })
  owner!: string | null;

  @Column({ name: 'support_url', type: 'varchar', length: 2048, nullable: true })
  supportUrl!: string | null;

  /** Kinds of data that the upstream processes, such as `personal`. */
  @Column({ name: 'data_classes', type: 'jsonb', nullable: true })
  dataClasses!: string[] | null;

  @Column({ name: 'environment', type: 'varchar', length: 64, nullable: true })
  environment!: string | null;

  @Column({ name: 'health_state', type: 'varchar', length: 16, default: 'unknown' })
  healthState!: UpstreamHealthState;

  /** Error of the last check; null if it succeeded. */
  @Column({ name: 'health_error', type: 'varchar', length: 1024, nullable: true })
  healthError!: string | null;

  /** Time of the last change of the state. */
  @Column({ name: 'health_since', type: 'timestamptz', precision: 3, nullable: true })
  healthSince!: Date | null;

  @Column({ name: 'health_checked_at', type: 'timestamptz', precision: 3, nullable: true })
  healthCheckedAt!: Date | null;

  /** Response time of the last check in milliseconds; null if the upstream did not respond. */
  @Column({ name: 'health_ms', type: 'integer', nullable: true })
  healthMs!: number | null;

  /**
   * Number of consecutive failed checks, counted up to 1,000. Two or more mark an alert, and stay
   * until the upstream responds as expected.
   */
  @Column({ name: 'health_failures', type: 'smallint', default: 0 })
  healthFailures!: number;

  @Column({ name: 'next_health_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  nextHealthAt!: Date;
}
