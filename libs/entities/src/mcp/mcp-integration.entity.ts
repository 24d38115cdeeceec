import type { McpIntegrationKind } from '@gw/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { OrganisationEntity } from '../identity/organisation.entity';
import { WorkspaceEntity } from '../identity/workspace.entity';
import { UpstreamIntegration } from '../upstreams/upstream-integration';

/**
 * Facts that an upstream MCP server reported about itself in the last read. They are not trusted.
 */
export interface StoredMcpServerInfo {
  readonly name: string | null;
  readonly version: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly websiteUrl: string | null;
  readonly icons: readonly unknown[];
  /** Negotiated revision of the protocol, such as `2025-11-25`. */
  readonly protocolVersion: string | null;
  /** The member `capabilities` of the server. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions: string | null;
}

/** Prices of calls, in integers of 1e-8 USD. */
export interface StoredToolPrices {
  readonly default: number;
  /** Prices by the server's own name of the tool. */
  readonly tools: Readonly<Record<string, number>>;
}

/**
 * An upstream MCP server: its address, how the gateway authenticates there, and what is approved of
 * it.
 */
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
@Index('mcp_integrations_next_health_ix', ['nextHealthAt'])
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

  /** The newest facts about the server; the gateway serves those in `approvedServer`. */
  @Column({ name: 'server_info', type: 'jsonb', nullable: true })
  serverInfo!: StoredMcpServerInfo | null;

  @Column({ name: 'approved_server', type: 'jsonb', nullable: true })
  approvedServer!: StoredMcpServerInfo | null;
}
