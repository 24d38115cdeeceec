import { OrganisationUserEntity, UserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { assertTag } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { Not, type EntityManager } from 'typeorm';
import { assertNotManaged } from '../../platform/accounts/managed-users';
import { MembershipEnds } from '../../platform/accounts/membership-ends';
import { UserKeysService } from '../../platform/keys/user-keys.service';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { assertMayGrant, assertNotAbove, rankOfRole, rightsOfRole } from '../../platform/auth/grants';
import { securityOf } from '../../platform/auth/security';
import { found, idOf, inOrganisation } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import type { OrganisationMembership } from '../../platform/accounts/organisation-membership';
import { userTag, type UpdateUserDto } from './users.dto';

/**
 * Changes or ends a user's membership in an organisation. The user itself stays, since it may belong to other
 * organisations.
 */
@Injectable()
export class UserChangesService {
  constructor(
    private readonly writes: Writes,
    private readonly userKeys: UserKeysService,
    private readonly ends: MembershipEnds,
  ) {}

  /** Changes the user's role, which limits the user's keys and sessions at once. */
  update(at: ResourceReference, { role }: UpdateUserDto): Promise<object> {
    const { caller } = at;
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { seat, user, place, before } = await lockSeat(manager, at);
      write.concerns({ id: user.id, etag: userTag({ ...user, role }) });
      if (role === seat.role) return {};
      await assertNotManaged(manager, place);
      if (role === 'owner') assertOwner(caller);
      const settings = await securityOf(manager, place.organisationId, null);
      assertMayGrant(caller, rightsOfRole(role, null, settings), `The role ${role}`, 'role');
      assertNotAbove(caller, rankOfRole(seat.role, null));
      if (seat.role === 'owner') await assertMayUnseat(manager, caller, seat);
      await manager.update(OrganisationUserEntity, place, { role, roleSource: 'manual' });
      const after = { ...before, role };
      write.audit({ action: 'update', resourceType: 'users', resourceId: place.userId, before, after });
      await this.userKeys.touch(write, place);
      return {};
    });
  }

  /** Ends the membership of the organisation, with its workspace memberships, user keys and sessions. */
  remove(at: ResourceReference): Promise<object> {
    const { caller } = at;
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { seat, place, before } = await lockSeat(manager, at);
      if (seat.role === 'owner') await assertMayUnseat(manager, caller, seat);
      assertNotAbove(caller, rankOfRole(seat.role, null));
      await assertNotManaged(manager, place);
      await this.ends.end(write, place);
      write.audit({ action: 'delete', resourceType: 'users', resourceId: place.userId, before });
      return {};
    });
  }
}

function assertOwner(caller: Principal): void {
  if (caller.organisationRole === 'owner') return;
  throw new GatewayError('forbidden', { message: 'Only an owner can create, change or remove owners.' });
}

/**
 * Checks that an owner may be demoted or removed. `lockSeat` locks owners in a fixed order, so that of two owners who
 * remove each other only the first succeeds.
 */
async function assertMayUnseat(
  manager: EntityManager,
  caller: Principal,
  seat: OrganisationUserEntity,
): Promise<void> {
  assertOwner(caller);
  if (seat.userId === caller.userId) {
    throw new GatewayError('conflict', {
      message: 'Owners cannot demote or remove themselves; ask another owner.',
    });
  }
  const others = await manager.countBy(OrganisationUserEntity, {
    organisationId: seat.organisationId,
    role: 'owner',
    status: 'active',
    userId: Not(seat.userId),
  });
  if (others === 0) {
    throw new GatewayError('conflict', {
      message: 'An organisation needs at least one owner; make another user an owner first.',
    });
  }
}

/**
 * Locks the membership of the user and of all owners, so that concurrent changes cannot remove the last owner. Compares
 * `If-Match` with the tag of the user.
 */
async function lockSeat(
  manager: EntityManager,
  { caller, reference, ifMatch }: ResourceReference,
): Promise<{
  readonly seat: OrganisationUserEntity;
  readonly user: UserEntity;
  readonly place: OrganisationMembership;
  readonly before: object;
}> {
  const { organisationId } = inOrganisation(caller);
  const userId = idOf(reference);
  const seats = await manager.find(OrganisationUserEntity, {
    where: [
      { organisationId, role: 'owner', status: 'active' },
      { organisationId, userId, status: 'active' },
    ],
    order: { userId: 'ASC' },
    lock: FOR_UPDATE,
  });
  const seat = found(seats.find((each) => each.userId === userId));
  const { role, status } = seat;
  const user = await manager.findOneByOrFail(UserEntity, { id: userId });
  assertTag(ifMatch, userTag({ ...user, role }));
  const before = { id: userId, email: user.email, role, status };
  return { seat, user, place: { organisationId, userId }, before };
}
