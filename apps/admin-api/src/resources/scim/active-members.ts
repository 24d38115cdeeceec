import { OrganisationUserEntity } from '@gw/entities';
import { Any, type EntityManager } from 'typeorm';

/**
 * Returns those of the users who are active members of the organisation. Administrators can end a
 * membership without the identity provider.
 */
export async function activeMembersAmong(
  manager: EntityManager,
  organisationId: string,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const seats = await manager.find(OrganisationUserEntity, {
    where: { organisationId, userId: Any(userIds), status: 'active' },
    select: { userId: true },
  });
  return new Set(seats.map(({ userId }) => userId));
}
