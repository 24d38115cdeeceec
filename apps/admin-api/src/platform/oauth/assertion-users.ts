import type { EntityManager } from 'typeorm';
import { userNamed } from '../accounts/identity-users';
import { activeMemberships } from '../auth/active-memberships';
import { activeWorkspace } from '../auth/workspace-references';
import { AssertionFault, type IdentityAssertion } from './identity-assertions';
import type { Place } from './oauth-seats';

/**
 * Returns the user, organisation and workspace in which an assertion acts. Rejects with
 * `AssertionFault`.
 */
export async function placeOf(manager: EntityManager, assertion: IdentityAssertion): Promise<Place> {
  const { organisationId } = assertion;
  const user = await userNamed(manager, assertion);
  if (user === null) throw new AssertionFault('The user is not known in the organisation, or is an owner.');
  if (!user.isActive) throw new AssertionFault('The user is not active in the organisation.');
  const memberId = user.role === 'member' ? user.id : null;
  return { userId: user.id, organisationId, workspaceId: await workspaceOf(manager, assertion, memberId) };
}

/**
 * Returns the workspace that the assertion names. Without a name, returns the only workspace of a
 * member; for other users, the whole organisation (null).
 */
async function workspaceOf(
  manager: EntityManager,
  { organisationId, workspace }: IdentityAssertion,
  memberId: string | null,
): Promise<string | null> {
  if (workspace !== null) {
    const id = await activeWorkspace(manager, organisationId, workspace);
    if (id === null) throw new AssertionFault('gw_workspace names no workspace of the organisation.');
    return id;
  }
  if (memberId === null) return null;
  const memberships = await activeMemberships(manager, { userId: memberId, organisationId });
  const [only] = memberships.keys();
  if (only === undefined || memberships.size > 1)
    throw new AssertionFault('The user does not have one workspace, and gw_workspace names none.');
  return only;
}
