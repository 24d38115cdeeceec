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
 * to the integration and the workspace are active, user access allows the caller, and the caller's
 * key is not restricted to other servers.
 */
export const listedServers = (
  manager: EntityManager,
  { organisationId, workspaceId, userId, apiKeyId }: RegistryCaller,
): Promise<ListedServer[]> => manager.query(LISTED, [organisationId, workspaceId, userId, apiKeyId]);

type RegistryCaller = Pick<Principal, 'organisationId' | 'workspaceId' | 'userId' | 'apiKeyId'>;

const LISTED = `
  SELECT s.slug, s.name, s.description, s.version + i.version - 1 AS changes,
    s.created_at AS "createdAt", GREATEST(s.last_updated_at, i.last_updated_at) AS "updatedAt",
    workspaces.id AS "workspaceId", workspaces.slug AS "workspaceSlug"
  FROM mcp_servers s
  JOIN mcp_integrations i ON i.id = s.integration_id AND ${MCP_AVAILABLE}
  JOIN workspaces ON workspaces.id = s.workspace_id AND workspaces.status = 'active'
  LEFT JOIN mcp_server_users access ON access.server_id = s.id AND access.user_id = $3::uuid
  LEFT JOIN api_keys key ON key.id = $4::uuid
  WHERE s.organisation_id = $1::uuid AND s.status = 'active'
    AND ($2::uuid IS NULL OR s.workspace_id = $2::uuid)
    AND COALESCE(access.enabled, s.default_user_access = 'allow')
    AND (COALESCE(key.mcp->'servers', 'null') = 'null' OR key.mcp->'servers' ? s.slug)
    AND (COALESCE(key.mcp->'tools', 'null') = 'null' OR EXISTS (
      SELECT FROM jsonb_array_elements_text(COALESCE(NULLIF(key.mcp->'tools', 'null'), '[]')) tool
      WHERE split_part(tool, '/', 1) = s.slug))`;
