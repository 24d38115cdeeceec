import { ScimGroupEntity, ScimGroupMemberEntity } from '@gw/entities';
import { Any, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import { FOR_CHANGE } from '../../platform/unit-of-work/writes';

/** Returns the ids of the groups of a user in the organisation. */
export async function groupIdsOf(
  manager: EntityManager,
  organisationId: string,
  userId: string,
): Promise<ReadonlySet<string>> {
  const members = await manager.findBy(ScimGroupMemberEntity, { userId });
  const groups = await manager.find(ScimGroupEntity, {
    where: { organisationId, id: Any(members.map(({ groupId }) => groupId)) },
    select: { id: true },
  });
  return new Set(groups.map(({ id }) => id));
}

/**
 * Locks the groups that a change of a user changes, in the order of their ids: those of the user
 * and those with the ids. Call it before locking the user, since a change of a group locks its
 * users.
 */
export async function lockGroupsOf(
  manager: EntityManager,
  organisationId: string,
  { userId, more = [] }: { readonly userId: string | null; readonly more?: readonly string[] },
): Promise<void> {
  const own = userId === null || !isUuid(userId) ? [] : await groupIdsOf(manager, organisationId, userId);
  await manager.find(ScimGroupEntity, {
    where: { organisationId, id: Any([...own, ...more.filter(isUuid)]) },
    select: { id: true },
    order: { id: 'ASC' },
    lock: FOR_CHANGE,
  });
}

/** Gives groups another ETag, since their members have changed. */
export async function raiseVersions(manager: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await manager.update(ScimGroupEntity, { id: Any(ids) }, { displayName: () => 'display_name' });
}
