import type { McpIntegrationKind } from '@gw/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { UpstreamIntegration } from '../upstreams/upstream-integration';

/** Facts that an upstream MCP server reports about itself, as of the last read. None of it is trusted. */
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
  /** Prices by the server's own name of the tool. */
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
@Index('mcp_integrations_secret_mappings_ix', { synchronize: false })
@Index('mcp_integrations_next_sync_ix', ['nextSyncAt'])
export class McpIntegrationEntity extends UpstreamIntegration {
  @PrimaryColumn({ name: 'id', type: 'uuid', primaryKeyConstraintName: 'mcp_integrations_pk' })
  id!: string;

  @Column({ name: 'organisation_id', type: 'uuid' })
  @ForeignKey(() => OrganisationEntity, { name: 'mcp_integrations_organisation_fk' })
  organisationId!: string;

  @Index('mcp_integrations_workspace_id_ix')
  @Column({ name: 'workspace_id', type: 'uuid', nullable: true })
  @ForeignKey(() => WorkspaceEntity, { name: 'mcp_integrations_workspace_fk' })
  workspaceId!: string | null;

  /** `openapi`: an HTTP service, with a row in `mcp_openapi_documents`. */
  @Column({ name: 'kind', type: 'varchar', length: 16, default: 'server' })
  kind!: McpIntegrationKind;

  @Column({ name: 'transport', type: 'varchar', length: 16 })
  transport!: 'http' | 'sse';

  @Column({ name: 'prices', type: 'jsonb', nullable: true })
  prices!: StoredToolPrices | null;

  /** The newest; what is served of it is in `approvedServer`. */
  @Column({ name: 'server_info', type: 'jsonb', nullable: true })
  serverInfo!: StoredMcpServerInfo | null;

  @Column({ name: 'approved_server', type: 'jsonb', nullable: true })
  approvedServer!: StoredMcpServerInfo | null;

  @Column({ name: 'tags', type: 'jsonb', nullable: true })
  tags!: Record<string, string> | null;

  /** Person or team responsible for the server, as free text. */
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

  /** Time of the last change of the state. */
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
