import { OrganisationUserEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import { FOR_UPDATE } from '../unit-of-work/writes';
import type { OrganisationMembership } from './organisation-membership';

/**
 * Locks the active memberships of a user and of all owners in the order of the users' ids, and
 * returns them. Of two owners who are removed concurrently, the second one is then the last owner.
 */
export function lockSeatAndOwners(
  manager: EntityManager,
  { organisationId, userId }: OrganisationMembership,
): Promise<OrganisationUserEntity[]> {
  return manager.find(OrganisationUserEntity, {
    where: [
      { organisationId, role: 'owner', status: 'active' },
      { organisationId, userId, status: 'active' },
    ],
    order: { userId: 'ASC' },
    lock: FOR_UPDATE,
  });
}
