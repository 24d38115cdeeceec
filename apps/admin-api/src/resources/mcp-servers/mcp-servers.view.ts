import type { McpIntegrationEntity, McpServerEntity, StoredMcpServerInfo } from '@gw/entities';
import { plainListResponseOf, ResponseField, responseOf, RowResponse, viewOf } from '@gw/web';
import { McpTestResponse } from '../../platform/mcp/mcp-server-tests';
import { MCP_CLIENTS, shownConfigurations } from '../../platform/upstreams/client-secrets';
import { healthOf, UpstreamHealthSummary } from '../../platform/upstreams/upstream-health.dto';
import { McpServerFields } from './mcp-servers.dto';

export class McpServerResponse extends responseOf(McpServerFields, RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid() readonly workspace_id!: string;
  @ResponseField.text({ example: 'search' }) readonly workspace_slug!: string;
  @ResponseField.text({ example: 'Search' }) readonly workspace_name!: string;
  @ResponseField.text({ example: 'github' }) readonly slug!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.text({
    nullable: true,
    description: 'Id of the user or key that created the server.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  readonly owner_id!: string | null;
  @ResponseField.uuid() readonly mcp_integration_id!: string;
  @ResponseField.text({ example: 'github' }) readonly mcp_integration_slug!: string;
  @ResponseField.text({ example: 'https://mcp.example.com/mcp', description: 'URL of the upstream server.' })
  readonly mcp_integration_url!: string;
  @ResponseField.text({ example: 'headers' }) readonly auth_type!: string;
  @ResponseField.text({
    description: 'URL at which clients reach the server through the gateway.',
    example: 'https://gateway.example.com/search/github/mcp',
  })
  readonly url!: string;
  @ResponseField.one(() => UpstreamHealthSummary, {
    description: 'State of the upstream server at its last health check.',
  })
  readonly health!: UpstreamHealthSummary;
}

export class McpServerListResponse extends plainListResponseOf(McpServerResponse) {}

class McpServerIntegrationResponse {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.text({ example: 'github' }) readonly slug!: string;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.json({ description: 'Secrets are shown as `*****`.' })
  readonly configurations!: Readonly<Record<string, unknown>>;
  @ResponseField.text({ example: 'https://mcp.example.com/mcp' }) readonly url!: string;
  @ResponseField.oneOf(['http', 'sse']) readonly transport!: 'http' | 'sse';
  @ResponseField.text({ example: 'headers' }) readonly auth_type!: string;
}

export class McpServerDetailResponse extends McpServerResponse {
  @ResponseField.one(() => McpServerIntegrationResponse)
  readonly mcp_integration_details!: McpServerIntegrationResponse;
}

/** Rows of other tables whose values the responses show. */
export interface McpServerParts {
  readonly integration: McpIntegrationEntity;
  readonly workspace: { readonly slug: string; readonly name: string };
  readonly url: string;
}

type Shared = 'workspace_slug' | 'workspace_name' | 'mcp_integration_id' | 'mcp_integration_slug';
type Upstream = 'mcp_integration_url' | 'auth_type' | 'url' | 'health';

const sharedOf = ({
  integration,
  workspace,
  url,
}: McpServerParts): Pick<McpServerResponse, Shared | Upstream> => ({
  workspace_slug: workspace.slug,
  workspace_name: workspace.name,
  mcp_integration_id: integration.id,
  mcp_integration_slug: integration.slug,
  mcp_integration_url: integration.url,
  auth_type: integration.authType,
  url,
  health: healthOf(integration),
});

export const toMcpServer = (row: McpServerEntity, parts: McpServerParts): McpServerResponse =>
  viewOf(McpServerResponse, row, sharedOf(parts));

export function toMcpServerDetail(row: McpServerEntity, parts: McpServerParts): McpServerDetailResponse {
  const { id, slug, status, url, transport, authType } = parts.integration;
  return viewOf(McpServerDetailResponse, row, {
    ...sharedOf(parts),
    mcp_integration_details: {
      ...{ id, slug, status, url, transport, auth_type: authType },
      configurations: shownConfigurations(MCP_CLIENTS, parts.integration),
    },
  });
}

/** Returns the form of a server that the audit log stores. */
export const toAuditedMcpServer = (row: McpServerEntity): object => ({
  name: row.name,
  slug: row.slug,
  description: row.description,
  status: row.status,
  mcp_integration_id: row.integrationId,
  default_user_access: row.defaultUserAccess,
  access_rules: row.accessRules,
  default: row.defaultEffect,
});

export class McpServerTestResponse extends McpTestResponse {}

/** Information from the upstream server about itself. Its texts are not trusted. */
export class McpServerMetadataResponse {
  @ResponseField.text({ nullable: true, example: 'github' }) readonly server_name!: string | null;
  @ResponseField.text({ nullable: true, example: '1.0.0' }) readonly server_version!: string | null;
  @ResponseField.text({ nullable: true, example: '2025-11-25' }) readonly protocol_version!: string | null;
  @ResponseField.json({ nullable: true, description: "The server's `capabilities` member." })
  readonly capability_flags!: Readonly<Record<string, unknown>> | null;
  @ResponseField.oneOf(['pending', 'synced', 'failed']) readonly sync_status!: string;
  @ResponseField.time({ nullable: true }) readonly last_synced_at!: string | null;
  @ResponseField.text({ nullable: true, example: 'The server was not reached.' })
  readonly sync_error!: string | null;
  @ResponseField.text({ nullable: true, example: 'GitHub' }) readonly title!: string | null;
  @ResponseField.text({ nullable: true, example: 'Code' }) readonly description!: string | null;
  @ResponseField.any() readonly icons!: unknown;
  @ResponseField.text({ nullable: true, example: 'https://example.com' })
  readonly website_url!: string | null;
  @ResponseField.text({
    nullable: true,
    description:
      'Instructions of the server. They are not trusted: do not pass them to a model before reading them.',
  })
  readonly instructions!: string | null;
}

const UNKNOWN: Readonly<Record<keyof StoredMcpServerInfo, null>> = {
  ...{ name: null, version: null, title: null, description: null, websiteUrl: null },
  ...{ icons: null, protocolVersion: null, capabilities: null, instructions: null },
};

export function toMcpServerMetadata(row: McpIntegrationEntity): McpServerMetadataResponse {
  const info = row.serverInfo ?? UNKNOWN;
  return {
    server_name: info.name,
    server_version: info.version,
    protocol_version: info.protocolVersion,
    capability_flags: info.capabilities,
    sync_status: row.syncStatus,
    last_synced_at: row.lastSyncedAt?.toISOString() ?? null,
    sync_error: row.syncError,
    ...{ title: info.title, description: info.description, icons: info.icons },
    ...{ website_url: info.websiteUrl, instructions: info.instructions },
  };
}
