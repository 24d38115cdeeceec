import { WorkspaceEntity } from '@gw/entities';
import { UUID } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { hasVerifiedDomain } from '../accounts/verified-domains';
import { AssertionFault, type IdentityAssertion } from './identity-assertions';
import { seatOf, type Place } from './oauth-seats';

/**
 * Where the user of an assertion acts: the user whom a login at the same issuer has linked to the subject, else the member with the
 * verified address, if its domain is one of the organisation. Rejects with `AssertionFault`, also for owners: who may save a trust could
 * else act as one.
 */
export async function placeOf(manager: EntityManager, assertion: IdentityAssertion): Promise<Place> {
  const { organisationId } = assertion;
  const userId = (await linkedUser(manager, assertion)) ?? (await memberOf(manager, assertion));
  if (userId === null) throw new AssertionFault('The user is not known in the organisation.');
  const seat = await seatOf(manager, { userId, organisationId, workspaceId: null });
  if (seat === null) throw new AssertionFault('The user is not active in the organisation.');
  if (seat.organisationRole === 'owner') throw new AssertionFault('The user is an owner.');
  const isMember = seat.organisationRole === 'member';
  const workspaceId = await workspaceOf(manager, assertion, isMember ? userId : null);
  return { userId, organisationId, workspaceId };
}

async function linkedUser(
  manager: EntityManager,
  { organisationId, issuer, subject }: IdentityAssertion,
): Promise<string | null> {
  const rows = await manager.query<{ readonly id: string }[]>(
    `SELECT DISTINCT link.user_id AS id FROM sso_links AS link
     JOIN sso_connections AS connection ON connection.id = link.connection_id
     WHERE connection.organisation_id = $1 AND connection.issuer = $2 AND connection.type = 'oidc'
       AND connection.status = 'active' AND link.subject = $3
     LIMIT 2`,
    [organisationId, issuer, subject],
  );
  if (rows.length > 1) throw new AssertionFault('The subject is linked to several users.');
  return rows[0]?.id ?? null;
}

async function memberOf(
  manager: EntityManager,
  { organisationId, email }: IdentityAssertion,
): Promise<string | null> {
  if (email === null || !(await hasVerifiedDomain(manager, organisationId, email))) return null;
  const [row] = await manager.query<{ readonly id: string }[]>(
    `SELECT person.id FROM users AS person
     JOIN organisation_users AS seat ON seat.user_id = person.id AND seat.organisation_id = $1
     WHERE person.email = $2`,
    [organisationId, email],
  );
  return row?.id ?? null;
}

/** The workspace that is named; without a name the only one of a member, and for others the whole organisation. */
async function workspaceOf(
  manager: EntityManager,
  { organisationId, workspace }: IdentityAssertion,
  memberId: string | null,
): Promise<string | null> {
  if (workspace !== null) {
    const by = UUID.test(workspace) ? { id: workspace } : { slug: workspace };
    const row = await manager.findOneBy(WorkspaceEntity, { organisationId, status: 'active', ...by });
    if (row === null) throw new AssertionFault('gw_workspace names no workspace of the organisation.');
    return row.id;
  }
  if (memberId === null) return null;
  const [only, more] = await manager.query<{ readonly id: string }[]>(
    `SELECT workspace.id FROM workspace_users AS member
     JOIN workspaces AS workspace ON workspace.id = member.workspace_id AND workspace.status = 'active'
     WHERE workspace.organisation_id = $1 AND member.user_id = $2 LIMIT 2`,
    [organisationId, memberId],
  );
  if (only === undefined || more !== undefined)
    throw new AssertionFault('The user does not have one workspace, and gw_workspace names none.');
  return only.id;
}
