import { OrganisationUserEntity, UserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { Not, type EntityManager } from 'typeorm';
import { assertNotManaged, lockManaged } from '../../platform/accounts/managed-users';
import { MembershipEnds } from '../../platform/accounts/membership-ends';
import { lockSeatAndOwners } from '../../platform/accounts/seat-locks';
import { UserKeysService } from '../../platform/keys/user-keys.service';
import { Writes } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { assertMayGrant, assertNotAbove, rankOfRole, rightsOfRole } from '../../platform/auth/grants';
import { securityOf } from '../../platform/auth/security';
import { found, idOf, inOrganisation } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { endRow, patchRow, type Resource } from '../../platform/resource/rows';
import { userTag, type UpdateUserDto } from './users.dto';

/**
 * Changes or ends a user's membership in an organisation. The user account stays, since it may
 * belong to other organisations.
 */
@Injectable()
export class UserChangesService {
  constructor(
    private readonly writes: Writes,
    private readonly userKeys: UserKeysService,
    private readonly ends: MembershipEnds,
  ) {}

  /** Changes the user's role, which limits the user's keys and sessions immediately. */
  update(at: ResourceReference, { role }: UpdateUserDto): Promise<object> {
    const { caller } = at;
    return this.writes.run(caller, (write) =>
      patchRow(write, USER, at, async (seat) => {
        const { manager } = write;
        if (role === seat.role) return false;
        await assertNotManaged(manager, seat);
        if (role === 'owner') await assertOwner(manager, caller);
        const settings = await securityOf(manager, seat.organisationId, null);
        assertMayGrant(caller, rightsOfRole(role, null, settings), `The role ${role}`, 'role');
        assertNotAbove(caller, rankOfRole(seat.role, null));
        if (seat.role === 'owner') await assertMayUnseat(manager, caller, seat);
        Object.assign(seat, { role, roleSource: 'manual' });
        return this.userKeys.touch(write, seat);
      }),
    );
  }

  /**
   * Ends the membership of the organisation, together with the workspace memberships, user keys and
   * sessions.
   */
  remove(at: ResourceReference): Promise<object> {
    const { caller } = at;
    return this.writes.run(caller, async (write) => {
      const { organisationId } = inOrganisation(caller);
      await lockManaged(write.manager, organisationId, [idOf(at.reference)]);
      return endRow(write, USER, at, async (seat) => {
        if (seat.role === 'owner') await assertMayUnseat(write.manager, caller, seat);
        assertNotAbove(caller, rankOfRole(seat.role, null));
        await assertNotManaged(write.manager, seat);
        await this.ends.end(write, { organisationId: seat.organisationId, userId: seat.userId });
      });
    });
  }
}

/** Describes a user as a member of the organisation. */
const USER: Resource<OrganisationUserEntity> = {
  entity: OrganisationUserEntity,
  type: 'users',
  idOf: ({ userId }) => userId,
  find: lockSeat,
  view: async ({ userId: id, role, status }, _caller, manager) => {
    const { email } = await manager.findOneByOrFail(UserEntity, { id });
    return { id, email, role, status };
  },
  tag: async ({ userId: id, role }, manager) =>
    userTag({ ...(await manager.findOneByOrFail(UserEntity, { id })), role }),
};

/**
 * Throws `forbidden` for callers other than owners, also for one who has been demoted or removed
 * while the request waited for the lock of `lockSeat`.
 */
async function assertOwner(
  manager: EntityManager,
  { organisationRole, organisationId, userId }: Principal,
): Promise<void> {
  const own = { organisationId, userId: userId ?? '', role: 'owner', status: 'active' } as const;
  const isOwner = organisationRole === 'owner';
  if (isOwner && (userId === null || (await manager.existsBy(OrganisationUserEntity, own)))) return;
  throw new GatewayError('forbidden', { message: 'Only an owner can create, change or remove owners.' });
}

/**
 * Checks that an owner may be demoted or removed. `lockSeat` locks owners in a fixed order, so that
 * of two owners who remove each other only the first succeeds.
 */
async function assertMayUnseat(
  manager: EntityManager,
  caller: Principal,
  seat: OrganisationUserEntity,
): Promise<void> {
  await assertOwner(manager, caller);
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

/** Locks the membership of the user, and those of the owners. Throws `not_found`. */
async function lockSeat(
  manager: EntityManager,
  { caller, reference }: Pick<ResourceReference, 'caller' | 'reference'>,
): Promise<OrganisationUserEntity> {
  const { organisationId } = inOrganisation(caller);
  const userId = idOf(reference);
  const seats = await lockSeatAndOwners(manager, { organisationId, userId });
  return found(seats.find((each) => each.userId === userId));
}
