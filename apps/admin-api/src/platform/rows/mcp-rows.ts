import { documentKey, type DocumentKey } from '@gw/contracts';
import { McpServerEntity, type McpIntegrationEntity } from '@gw/entities';
import { Not, type EntityManager } from 'typeorm';

/**
 * SQL condition: workspace `s.workspace_id` may use MCP integration `i`. The workspace's own row takes
 * precedence over the global access.
 */
export const MCP_AVAILABLE = `i.status = 'active' AND (i.workspace_id = s.workspace_id OR (i.workspace_id IS NULL AND COALESCE(
  (SELECT w.enabled FROM mcp_integration_workspaces w
    WHERE w.integration_id = i.id AND w.workspace_id = s.workspace_id),
  (i.global_workspace_access->>'enabled')::boolean,
  false)))`;

/** Returns the keys of the document of a server, which gateways find by its slug and by its id. */
export const mcpServerKeys = ({
  workspaceId,
  slug,
  id,
}: Pick<McpServerEntity, 'workspaceId' | 'slug' | 'id'>): DocumentKey[] => [
  documentKey.mcpServer(workspaceId, slug),
  documentKey.mcpServer(workspaceId, id),
];

/** Returns the keys of the documents of all servers of an integration. */
export async function keysOfServers(
  manager: EntityManager,
  { id }: Pick<McpIntegrationEntity, 'id'>,
): Promise<DocumentKey[]> {
  const servers = await manager.find(McpServerEntity, {
    where: { integrationId: id, status: Not('archived') },
    select: { id: true, slug: true, workspaceId: true },
  });
  return servers.flatMap(mcpServerKeys);
}
