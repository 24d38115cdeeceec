import { ceilingOf, DEFAULT_SECURITY, type OrganisationRole, type WorkspaceRole } from '@gw/auth-scopes';
import type { McpAuthType } from '@gw/contracts';
import type { EntityManager } from 'typeorm';
import { MCP_AVAILABLE } from '../rows/mcp-rows';

/** A user at an MCP server. */
export interface McpPair {
  readonly serverId: string;
  readonly userId: string;
}

/** A server at which users have individual tokens, and a user who may call it. */
export interface McpPlace extends McpPair {
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly integrationId: string;
  readonly serverName: string;
  readonly authType: McpAuthType;
}

interface Row extends McpPlace {
  readonly organisationRole: OrganisationRole;
  readonly workspaceRole: WorkspaceRole | null;
}

/**
 * Returns the pairs whose user may call the server: both are active, and so are the integration,
 * the workspace and the user's membership. Leaves out servers at which users have no individual
 * token.
 */
export async function mcpPlaces(
  manager: EntityManager,
  pairs: readonly McpPair[],
): Promise<readonly McpPlace[]> {
  if (pairs.length === 0) return [];
  const rows = await manager.query<Row[]>(PLACES, [
    pairs.map(({ serverId }) => serverId),
    pairs.map(({ userId }) => userId),
  ]);
  return rows.flatMap(({ organisationRole, workspaceRole, ...place }) =>
    ceilingOf(organisationRole, workspaceRole, DEFAULT_SECURITY).has('mcp.invoke') ? [place] : [],
  );
}

const PLACES = `
  SELECT s.id AS "serverId", person.id AS "userId", s.organisation_id AS "organisationId",
    s.workspace_id AS "workspaceId", i.id AS "integrationId", s.name AS "serverName",
    i.auth_type AS "authType",
    seat.role AS "organisationRole", member.role AS "workspaceRole"
  FROM unnest($1::uuid[], $2::uuid[]) AS pair (server_id, user_id)
  JOIN mcp_servers s ON s.id = pair.server_id AND s.status = 'active'
  JOIN mcp_integrations i ON i.id = s.integration_id AND i.auth_type IN ('oauth_auto', 'token_exchange', 'id_jag')
    AND ${MCP_AVAILABLE}
  JOIN workspaces ON workspaces.id = s.workspace_id AND workspaces.status = 'active'
  JOIN organisations ON organisations.id = s.organisation_id AND organisations.status = 'active'
  JOIN users person ON person.id = pair.user_id AND person.status = 'active'
  JOIN organisation_users seat ON seat.user_id = person.id
    AND seat.organisation_id = s.organisation_id AND seat.status = 'active'
  LEFT JOIN workspace_users member ON member.user_id = person.id AND member.workspace_id = s.workspace_id
  LEFT JOIN mcp_server_users access ON access.server_id = s.id AND access.user_id = person.id
  WHERE COALESCE(access.enabled, s.default_user_access = 'allow')`;

/** Returns the pairs among those whose user signs in at the server. */
export async function signInPlaces(
  manager: EntityManager,
  pairs: readonly McpPair[],
): Promise<readonly McpPlace[]> {
  return (await mcpPlaces(manager, pairs)).filter(({ authType }) => authType === 'oauth_auto');
}
