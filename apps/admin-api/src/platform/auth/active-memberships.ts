import type { WorkspaceRole } from '@gw/auth-scopes';
import { PreparedStatement } from '@gw/entities';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * Returns SQL for a user's roles in the active workspaces of an organisation, as rows of
 * `workspace_id` and `role`.
 */
const memberships = (userId: string, organisationId: string): string => `
  SELECT member.workspace_id, member.role FROM workspace_users member
  JOIN workspaces workspace ON workspace.id = member.workspace_id AND workspace.status = 'active'
  WHERE member.user_id = ${userId} AND workspace.organisation_id = ${organisationId}`;

/**
 * Returns SQL for the same roles as one JSON object by workspace id. The arguments are column names
 * of the enclosing statement.
 */
export const membershipsInJson = (userId: string, organisationId: string): string =>
  `(SELECT coalesce(json_object_agg(workspace_id, role), '{}')
    FROM (${memberships(userId, organisationId)}) memberships)`;

const OF_USER = new PreparedStatement<{ readonly workspace_id: string; readonly role: WorkspaceRole }>(
  'active-memberships',
  () => `${memberships('$1', '$2')} AND ($3::uuid IS NULL OR workspace.id = $3)`,
);

interface Member {
  readonly userId: string;
  readonly organisationId: string;
  /** Workspace to look in; absent or null for all workspaces of the organisation. */
  readonly workspaceId?: string | null;
}

/** Returns a user's roles in the active workspaces of an organisation, by workspace id. */
export async function activeMemberships(
  source: DataSource | EntityManager,
  { userId, organisationId, workspaceId = null }: Member,
): Promise<ReadonlyMap<string, WorkspaceRole>> {
  const rows = await OF_USER.run(source, [userId, organisationId, workspaceId]);
  return new Map(rows.map((each) => [each.workspace_id, each.role]));
}
