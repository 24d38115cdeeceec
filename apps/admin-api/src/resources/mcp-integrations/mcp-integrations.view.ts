import type { McpIntegrationEntity } from '@gw/entities';
import { ResponseField, responseOf, RowResponse, viewOf } from '@gw/web';
import { SecretMappingResponse, shownMappings } from '../../platform/credentials/secret-mappings';
import { APPROVAL_MODES, ON_CHANGE } from '../../platform/upstreams/approval-choices';
import { MCP_CLIENTS, shownConfigurations } from '../../platform/upstreams/client-secrets';
import { healthOf, UpstreamHealthSummary } from '../../platform/upstreams/upstream-health.dto';
import { UpstreamAccessResponse } from '../../platform/upstreams/workspace-access.dto';
import { McpPlainFields } from './mcp-integrations.dto';
import { shownPrices } from './mcp-prices';

class McpPricingResponse {
  @ResponseField.number({ example: 0.001 }) readonly default_usd!: number;
  @ResponseField.json({ example: { search: 0.0025 } }) readonly tools!: Readonly<Record<string, number>>;
}

export class McpIntegrationResponse extends responseOf(McpPlainFields, RowResponse) {
  @ResponseField.uuid() readonly id!: string;
  @ResponseField.uuid() readonly organisation_id!: string;
  @ResponseField.uuid({ nullable: true }) readonly workspace_id!: string | null;
  @ResponseField.oneOf(['organisation', 'workspace']) readonly type!: 'organisation' | 'workspace';
  @ResponseField.oneOf(['server', 'openapi'], {
    description: 'openapi: an HTTP service whose operations an OpenAPI document describes.',
  })
  readonly kind!: McpIntegrationEntity['kind'];
  @ResponseField.text({ example: 'github' }) readonly slug!: string;
  @ResponseField.text({
    nullable: true,
    description: 'Id of the user or key that created the integration.',
    example: '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90',
  })
  readonly owner_id!: string | null;
  @ResponseField.oneOf(['active', 'archived']) readonly status!: 'active' | 'archived';
  @ResponseField.json({ description: 'Secrets are shown as `*****`.' })
  readonly configurations!: Readonly<Record<string, unknown>>;
  @ResponseField.list(() => SecretMappingResponse)
  readonly secret_mappings!: readonly SecretMappingResponse[];
  @ResponseField.one(() => UpstreamAccessResponse, { nullable: true })
  readonly global_workspace_access!: McpIntegrationEntity['globalWorkspaceAccess'];
  @ResponseField.oneOf(APPROVAL_MODES) readonly approval_mode!: McpIntegrationEntity['approvalMode'];
  @ResponseField.oneOf(ON_CHANGE) readonly on_change!: McpIntegrationEntity['onChange'];
  @ResponseField.one(() => McpPricingResponse, { nullable: true })
  readonly pricing!: McpPricingResponse | null;
  @ResponseField.integer({
    example: 1,
    description: 'Number of active workspaces that may use the integration.',
  })
  readonly workspaces_count!: number;
  @ResponseField.one(() => UpstreamHealthSummary, {
    description: 'State at the last health check of the server.',
  })
  readonly health!: UpstreamHealthSummary;
}

export class McpIntegrationListResponse {
  @ResponseField.list(() => McpIntegrationResponse) readonly data!: McpIntegrationResponse[];
  @ResponseField.integer({ example: 1, description: 'Number of integrations on all pages.' })
  readonly total!: number;
  @ResponseField.boolean() readonly has_more!: boolean;
}

class EndedMcpServerResponse {
  @ResponseField.text({ example: 'mcp_servers.github' }) readonly path!: string;
  @ResponseField.text() readonly message!: string;
}

export class DeletedMcpIntegration {
  /** Servers that were archived with the integration; absent when there were none. */
  @ResponseField.list(() => EndedMcpServerResponse, { optional: true })
  readonly warnings?: readonly EndedMcpServerResponse[];
}

export const toMcpIntegration = (
  row: McpIntegrationEntity,
  workspacesCount: number,
): McpIntegrationResponse =>
  viewOf(McpIntegrationResponse, row, {
    type: row.workspaceId === null ? 'organisation' : 'workspace',
    configurations: shownConfigurations(MCP_CLIENTS, row),
    secret_mappings: shownMappings(row),
    pricing: shownPrices(row.prices),
    workspaces_count: workspacesCount,
    health: healthOf(row),
  });
