import { WorkspaceEntity } from '@gw/entities';
import { UUID } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { userNamed } from '../accounts/identity-users';
import { AssertionFault, type IdentityAssertion } from './identity-assertions';
import { seatOf, type Place } from './oauth-seats';

/** Where the user of an assertion acts. Rejects with `AssertionFault`. */
export async function placeOf(manager: EntityManager, assertion: IdentityAssertion): Promise<Place> {
  const { organisationId } = assertion;
  const userId = await userNamed(manager, assertion);
  if (userId === null) throw new AssertionFault('The user is not known in the organisation, or is an owner.');
  const seat = await seatOf(manager, { userId, organisationId, workspaceId: null });
  if (seat === null) throw new AssertionFault('The user is not active in the organisation.');
  const isMember = seat.organisationRole === 'member';
  const workspaceId = await workspaceOf(manager, assertion, isMember ? userId : null);
  return { userId, organisationId, workspaceId };
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
