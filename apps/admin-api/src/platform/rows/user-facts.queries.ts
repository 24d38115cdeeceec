import type { OrganisationRole, WorkspaceRole } from '@gw/auth-scopes';
import type { EntityManager } from 'typeorm';
import { SSO_GROUP_PREFIX } from '../upstreams/access-rules';

/** A user of an organisation. */
export interface UserSeat {
  readonly organisationId: string;
  readonly userId: string;
}

/** The roles and groups of an active user, to which access rules refer. */
export interface UserFacts extends UserSeat {
  readonly organisationRole: OrganisationRole;
  /** Roles by workspace id. */
  readonly workspaceRoles: Readonly<Record<string, WorkspaceRole>>;
  /**
   * Sorted group references: ids of SCIM groups, and `sso:<name>` for groups of the last logins by
   * single sign-on.
   */
  readonly groups: readonly string[];
}

/** Returns the roles and groups of active users; leaves out all other users. */
export async function userFacts(
  manager: EntityManager,
  seats: readonly UserSeat[],
): Promise<readonly UserFacts[]> {
  if (seats.length === 0) return [];
  return manager.query<UserFacts[]>(FACTS, [
    seats.map(({ organisationId }) => organisationId),
    seats.map(({ userId }) => userId),
    SSO_GROUP_PREFIX,
  ]);
}

const FACTS = `
  SELECT seat.organisation_id AS "organisationId", seat.user_id AS "userId", seat.role AS "organisationRole",
    (SELECT coalesce(jsonb_object_agg(member.workspace_id, member.role), '{}')
       FROM workspace_users member
       JOIN workspaces ON workspaces.id = member.workspace_id AND workspaces.status = 'active'
         AND workspaces.organisation_id = seat.organisation_id
       WHERE member.user_id = seat.user_id) AS "workspaceRoles",
    ARRAY(
      SELECT member.group_id::text AS name FROM scim_group_members member
        JOIN scim_groups entry ON entry.id = member.group_id AND entry.organisation_id = seat.organisation_id
        WHERE member.user_id = seat.user_id
      UNION
      SELECT $3::text || provided.group_name FROM sso_links link
        JOIN sso_connections connection ON connection.id = link.connection_id
          AND connection.organisation_id = seat.organisation_id
        CROSS JOIN jsonb_array_elements_text(link.groups) AS provided (group_name)
        WHERE link.user_id = seat.user_id
      ORDER BY name) AS groups
  FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::uuid[])) AS pair (organisation_id, user_id)
  JOIN organisation_users seat ON seat.organisation_id = pair.organisation_id
    AND seat.user_id = pair.user_id AND seat.status = 'active'
  JOIN users person ON person.id = seat.user_id AND person.status = 'active'`;
