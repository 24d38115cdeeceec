import type { McpIntegrationEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import type { UpstreamTables } from '../../platform/upstreams/upstream-sync.queries';

/** Maximum number of tool names with which a snapshot is compared. */
const OTHER_NAMES_MAX = 10_000;

/**
 * SQL condition for integrations that can change. A document without a URL changes only when an
 * administrator sends another one.
 */
const CAN_CHANGE = `(kind <> 'openapi' OR sync_status <> 'synced' OR EXISTS (
  SELECT 1 FROM mcp_openapi_documents d WHERE d.integration_id = mcp_integrations.id AND d.url IS NOT NULL))`;

export const MCP_TABLES: UpstreamTables = {
  ...{
    integrations: 'mcp_integrations',
    capabilities: 'mcp_capabilities',
    switches: 'mcp_server_capabilities',
  },
  canChange: CAN_CHANGE,
};

/** Returns the names of tools of other integrations that callers may see together with this one. */
export async function otherToolNames(
  manager: EntityManager,
  { id, organisationId, workspaceId }: Pick<McpIntegrationEntity, 'id' | 'organisationId' | 'workspaceId'>,
): Promise<string[]> {
  const rows = await manager.query<{ name: string }[]>(
    `SELECT DISTINCT c.name FROM mcp_capabilities c JOIN mcp_integrations i ON i.id = c.integration_id
      WHERE i.organisation_id = $1 AND i.id <> $2 AND i.status = 'active'
        AND (i.workspace_id IS NULL OR i.workspace_id = $3)
        AND c.type = 'tool' AND c.gone_at IS NULL
      LIMIT ${String(OTHER_NAMES_MAX)}`,
    [organisationId, id, workspaceId],
  );
  return rows.map(({ name }) => name);
}
