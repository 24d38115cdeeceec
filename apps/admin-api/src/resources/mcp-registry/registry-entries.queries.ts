import type { RegistryEntry } from '@gw/mcp';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { MCP_AVAILABLE } from '../../platform/rows/mcp-rows';

/**
 * A server that the registry lists. `changes` counts the writes to the server and to its
 * integration.
 */
export interface ListedServer extends Pick<RegistryEntry, 'workspaceId' | 'workspaceSlug'> {
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly changes: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * Returns the servers that the caller may use: the server, its integration, the workspace's access
 * to the integration and the workspace are active, and user access allows the caller.
 */
export const listedServers = (
  manager: EntityManager,
  { organisationId, workspaceId, userId }: Pick<Principal, 'organisationId' | 'workspaceId' | 'userId'>,
): Promise<ListedServer[]> => manager.query(LISTED, [organisationId, workspaceId, userId]);

const LISTED = `
  SELECT s.slug, s.name, s.description, s.version + i.version - 1 AS changes,
    s.created_at AS "createdAt", GREATEST(s.last_updated_at, i.last_updated_at) AS "updatedAt",
    workspaces.id AS "workspaceId", workspaces.slug AS "workspaceSlug"
  FROM mcp_servers s
  JOIN mcp_integrations i ON i.id = s.integration_id AND ${MCP_AVAILABLE}
  JOIN workspaces ON workspaces.id = s.workspace_id AND workspaces.status = 'active'
  LEFT JOIN mcp_server_users access ON access.server_id = s.id AND access.user_id = $3::uuid
  WHERE s.organisation_id = $1::uuid AND s.status = 'active'
    AND ($2::uuid IS NULL OR s.workspace_id = $2::uuid)
    AND COALESCE(access.enabled, s.default_user_access = 'allow')`;
