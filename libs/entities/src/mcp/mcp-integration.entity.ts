import type { McpAuthType, McpIntegrationKind } from '@gw/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import type { StoredSecretMapping } from '../resources/integration.entity';
import { Row } from '../row';

/** What an upstream MCP server says of itself, as it was read last. None of it is trusted. */
export interface StoredMcpServerInfo {
  readonly name: string | null;
  readonly version: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly websiteUrl: string | null;
  readonly icons: readonly unknown[];
  /** Revision of the protocol that was agreed on, such as `2025-11-25`. */
  readonly protocolVersion: string | null;
  /** The member `capabilities` of the server. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | null;
}

/** `degraded`: it responds slowly. `unauthorised`: it refuses the shared credential. `unknown`: it was never checked. */
export type McpHealthState = 'healthy' | 'degraded' | 'down' | 'unauthorised' | 'unknown';

/** Prices of calls, in integers of 1e-8 USD. */
export interface StoredToolPrices {
  readonly default: number;
  /** By the server's own name of the tool. */
  readonly tools: Readonly<Record<string, number>>;
}

/** An upstream MCP server: its address, how the gateway signs in there, and what is approved of it. */
@Entity('mcp_integrations')
@Check('mcp_integrations_status_ck', `status IN ('active', 'archived')`)
@Check(
  'mcp_integrations_health_state_ck',
  `health_state IN ('healthy', 'degraded', 'down', 'unauthorised', 'unknown')`,
)
@Check('mcp_integrations_kind_ck', `kind IN ('server', 'openapi')`)
@Index('mcp_integrations_slug_uq', ['organisationId', 'slug'], {
  unique: true,
  where: `status <> 'archived'`,
})
@Index('mcp_integrations_page_ix', ['organisationId', 'createdAt', 'id'])
export class McpIntegrationEntity extends Row {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_integrations_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'mcp_integrations_organisation_fk' })
  organisationId!: string;

  /** Null: the integration belongs to the organisation. Otherwise only this workspace sees it. */
  @Index('mcp_integrations_workspace_id_ix')
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'mcp_integrations_workspace_fk' })
  workspaceId!: string | null;

  @Column({ name: 'slug', type: 'varchar', length: 255 })
  slug!: string;

  @Column({ name: 'name', type: 'varchar', length: 255 })
  name!: string;

  @Column({ name: 'description', type: 'text', nullable: true })
  description!: string | null;

  @Column({ name: 'status', type: 'varchar', length: 16, default: 'active' })
  status!: 'active' | 'archived';

  /** Id of the user or key that made it. */
  @Column({ name: 'owner_id', type: 'varchar', length: 255, nullable: true })
  ownerId!: string | null;

  /** `openapi`: an HTTP service, with a row in `mcp_openapi_documents`. */
  @Column({ name: 'kind', type: 'varchar', length: 16, default: 'server' })
  kind!: McpIntegrationKind;

  /** Of the MCP server, or the base URL of the HTTP service. */
  @Column({ name: 'url', type: 'varchar', length: 2048 })
  url!: string;

  @Column({ name: 'transport', type: 'varchar', length: 16 })
  transport!: 'http' | 'sse';

  @Column({ name: 'auth_type', type: 'varchar', length: 32 })
  authType!: McpAuthType;

  /** Configurations that are not secret. */
  @Column({ name: 'configurations', type: 'jsonb', default: {} })
  configurations!: Record<string, unknown>;

  /** `seal()` of the secret configurations, bound to `mcp_integration:<organisation id>:<id>`. Null: none. */
  @Column({ name: 'sealed_auth', type: 'text', nullable: true })
  sealedAuth!: string | null;

  /** What reads show of the sealed configurations. */
  @Column({ name: 'masked_auth', type: 'jsonb', default: {} })
  maskedAuth!: Record<string, string | Record<string, string>>;

  @Index('mcp_integrations_secret_mappings_ix', { synchronize: false })
  @Column({ name: 'secret_mappings', type: 'jsonb', nullable: true })
  secretMappings!: StoredSecretMapping[] | null;

  /** Access of every workspace without a row of its own; null: none. */
  @Column({ name: 'global_workspace_access', type: 'jsonb', nullable: true })
  globalWorkspaceAccess!: { readonly enabled: boolean } | null;

  @Column({ name: 'approval_mode', type: 'varchar', length: 16 })
  approvalMode!: 'auto' | 'review_changes' | 'review_all';

  /** What happens to calls of a capability that changed, until the change is approved. */
  @Column({ name: 'on_change', type: 'varchar', length: 16, default: 'block' })
  onChange!: 'block' | 'serve_approved';

  @Column({ name: 'prices', type: 'jsonb', nullable: true })
  prices!: StoredToolPrices | null;

  /** Milliseconds that a call may take; null: 120,000. */
  @Column({ name: 'timeout_ms', type: 'integer', nullable: true })
  timeoutMs!: number | null;

  /** The newest; what is served of it is in `approvedServer`. */
  @Column({ name: 'server_info', type: 'jsonb', nullable: true })
  serverInfo!: StoredMcpServerInfo | null;

  @Column({ name: 'approved_server', type: 'jsonb', nullable: true })
  approvedServer!: StoredMcpServerInfo | null;

  @Column({ name: 'sync_status', type: 'varchar', length: 16, default: 'pending' })
  syncStatus!: 'pending' | 'synced' | 'failed';

  /** The last sync that succeeded. */
  @Column({ name: 'last_synced_at', type: 'timestamptz', precision: 3, nullable: true })
  lastSyncedAt!: Date | null;

  @Column({ name: 'sync_error', type: 'varchar', length: 1024, nullable: true })
  syncError!: string | null;

  @Index('mcp_integrations_next_sync_ix')
  @Column({ name: 'next_sync_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  nextSyncAt!: Date;

  @Column({ name: 'tags', type: 'jsonb', nullable: true })
  tags!: Record<string, string> | null;

  /** Who is responsible for the server, in the administrator's words. */
  @Column({ name: 'owner', type: 'varchar', length: 255, nullable: true })
  owner!: string | null;

  @Column({ name: 'support_url', type: 'varchar', length: 2048, nullable: true })
  supportUrl!: string | null;

  /** Kinds of data that the server works with, such as `personal`. */
  @Column({ name: 'data_classes', type: 'jsonb', nullable: true })
  dataClasses!: string[] | null;

  @Column({ name: 'environment', type: 'varchar', length: 64, nullable: true })
  environment!: string | null;

  @Column({ name: 'health_state', type: 'varchar', length: 16, default: 'unknown' })
  healthState!: McpHealthState;

  /** Why the last check failed; null: it did not. */
  @Column({ name: 'health_error', type: 'varchar', length: 1024, nullable: true })
  healthError!: string | null;

  /** Since when the state has been the same. */
  @Column({ name: 'health_since', type: 'timestamptz', precision: 3, nullable: true })
  healthSince!: Date | null;

  @Column({ name: 'health_checked_at', type: 'timestamptz', precision: 3, nullable: true })
  healthCheckedAt!: Date | null;

  /** How long the last check took; null: the server did not respond. */
  @Column({ name: 'health_ms', type: 'integer', nullable: true })
  healthMs!: number | null;

  /** Checks in a row that the server did not respond to; at most 1,000 are counted. */
  @Column({ name: 'health_failures', type: 'smallint', default: 0 })
  healthFailures!: number;

  @Index('mcp_integrations_next_health_ix')
  @Column({ name: 'next_health_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  nextHealthAt!: Date;
}
