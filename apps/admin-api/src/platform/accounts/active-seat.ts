import { OrganisationUserEntity } from '@gw/entities';
import type { EntityManager } from 'typeorm';
import { assertNotAbove, rankOfRole } from '../auth/grants';
import { found, inOrganisation, isUuid } from '../auth/tenancy';
import type { Principal } from '../common/principal';

/**
 * Returns the active membership of a user in the caller's organisation. Throws `not_found` when the
 * user has none.
 */
export async function activeSeat(
  manager: EntityManager,
  caller: Principal,
  userId: string,
): Promise<OrganisationUserEntity> {
  const { organisationId } = inOrganisation(caller);
  const at = { organisationId, userId, status: 'active' as const };
  return found(isUuid(userId) ? await manager.findOneBy(OrganisationUserEntity, at) : null);
}

/**
 * Returns the active membership of a user whom the caller may change. Throws `not_found` as
 * `activeSeat` does, and `forbidden` when the user's role is above the caller's.
 */
export async function activeSeatBelow(
  manager: EntityManager,
  caller: Principal,
  userId: string,
): Promise<OrganisationUserEntity> {
  const seat = await activeSeat(manager, caller, userId);
  assertNotAbove(caller, rankOfRole(seat.role, null));
  return seat;
}
