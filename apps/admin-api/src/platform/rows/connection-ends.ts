import { documentKey } from '@gw/contracts';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';

/** Selects the connections to end: those that match all given members. */
export interface EndedConnections {
  readonly organisationId: string;
  readonly userId?: string;
  readonly workspaceId?: string;
  readonly serverIds?: readonly string[];
}

/**
 * Ends connections of users to upstream MCP servers: deletes their rows and documents. A background
 * job revokes their tokens.
 */
export async function endConnections(write: Write<AuditCaller>, where: EndedConnections): Promise<void> {
  const { organisationId, userId, workspaceId, serverIds } = where;
  const ended = await write.manager.query<EndedRow[]>(END, [
    organisationId,
    ...[userId, workspaceId, serverIds].map((each) => each ?? null),
  ]);
  for (const row of ended) {
    write.audit({
      ...{ action: 'delete', resourceType: 'mcp_connections', resourceId: row.id },
      workspaceId: row.workspaceId,
      before: { server_id: row.serverId, user_id: row.userId },
    });
    write.removed(documentKey.mcpConnection(row.serverId, row.userId));
  }
}

interface EndedRow {
  readonly id: string;
  readonly serverId: string;
  readonly userId: string;
  readonly workspaceId: string;
}

const END = `
  WITH ended AS (
    DELETE FROM mcp_connections c USING mcp_servers s
    WHERE s.id = c.server_id AND c.organisation_id = $1
      AND ($2::uuid IS NULL OR c.user_id = $2) AND ($3::uuid IS NULL OR s.workspace_id = $3)
      AND ($4::uuid[] IS NULL OR s.id = ANY($4))
    RETURNING c.id, c.organisation_id, c.server_id, c.user_id, c.sealed_tokens, s.workspace_id),
  revoked AS (
    INSERT INTO mcp_revocations (id, organisation_id, server_id, user_id, sealed_tokens)
    SELECT gen_random_uuid(), organisation_id, server_id, user_id, sealed_tokens
    FROM ended WHERE sealed_tokens IS NOT NULL)
  SELECT id, server_id AS "serverId", user_id AS "userId", workspace_id AS "workspaceId" FROM ended`;
