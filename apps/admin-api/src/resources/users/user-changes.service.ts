import {
  OrganisationUserEntity,
  SessionEntity,
  UserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { assertTag } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { In, IsNull, Not, type EntityManager } from 'typeorm';
import { UserKeysService } from '../../platform/keys/user-keys.service';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { assertMayGrant, assertNotAbove, rankOfRole, rightsOfRole } from '../../platform/auth/grants';
import { securityOf } from '../../platform/auth/security';
import { found, inOrganisation, isUuid } from '../../platform/auth/tenancy';
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
  ) {}

  /** Changes the user's role, which limits the user's keys and sessions at once. */
  update(
    caller: Principal,
    userId: string,
    { role }: UpdateUserDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    const { organisationId } = inOrganisation(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const seat = await lockSeat(manager, organisationId, userId);
      const user = await userOf(manager, seat);
      assertTag(ifMatch, userTag({ ...user, role: seat.role }));
      if (role === seat.role) return {};
      if (role === 'owner') assertOwner(caller);
      const settings = await securityOf(manager, organisationId, null);
      assertMayGrant(caller, rightsOfRole(role, null, settings), `The role ${role}`, 'role');
      assertNotAbove(caller, rankOfRole(seat.role, null));
      if (seat.role === 'owner') await assertMayUnseat(manager, caller, seat);
      const before = viewOf(user, seat);
      await manager.update(OrganisationUserEntity, { organisationId, userId: seat.userId }, { role });
      write.audit({
        action: 'update',
        resourceType: 'users',
        resourceId: seat.userId,
        before,
        after: { ...before, role },
      });
      await this.userKeys.touch(write, { organisationId, userId: seat.userId });
      return {};
    });
  }

  /** Ends the membership of the organisation, with its workspace memberships, user keys and sessions. */
  remove(caller: Principal, userId: string, ifMatch: string | undefined): Promise<object> {
    const { organisationId } = inOrganisation(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const seat = await lockSeat(manager, organisationId, userId);
      const user = await userOf(manager, seat);
      assertTag(ifMatch, userTag({ ...user, role: seat.role }));
      if (seat.role === 'owner') await assertMayUnseat(manager, caller, seat);
      assertNotAbove(caller, rankOfRole(seat.role, null));
      const before = viewOf(user, seat);
      const at = { organisationId, userId: seat.userId };
      await manager.update(OrganisationUserEntity, at, { status: 'archived' });
      await leaveWorkspaces(write, at);
      await this.userKeys.archive(write, at);
      await manager.update(SessionEntity, { ...at, revokedAt: IsNull() }, { revokedAt: new Date() });
      write.audit({ action: 'delete', resourceType: 'users', resourceId: seat.userId, before });
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

async function leaveWorkspaces(
  { manager }: Write,
  { organisationId, userId }: { readonly organisationId: string; readonly userId: string },
): Promise<void> {
  const workspaces = await manager.find(WorkspaceEntity, { where: { organisationId }, select: { id: true } });
  const workspaceId = In(workspaces.map(({ id }) => id));
  await manager.delete(WorkspaceUserEntity, { userId, workspaceId });
}

/** Locks the membership of the user and of all owners, so that concurrent changes cannot remove the last owner. */
async function lockSeat(
  manager: EntityManager,
  organisationId: string,
  userId: string,
): Promise<OrganisationUserEntity> {
  if (!isUuid(userId)) throw new GatewayError('not_found');
  const seats = await manager.find(OrganisationUserEntity, {
    where: [
      { organisationId, role: 'owner', status: 'active' },
      { organisationId, userId, status: 'active' },
    ],
    order: { userId: 'ASC' },
    lock: FOR_UPDATE,
  });
  return found(seats.find((seat) => seat.userId === userId.toLowerCase()));
}

const userOf = async (manager: EntityManager, { userId }: OrganisationUserEntity): Promise<UserEntity> =>
  found(await manager.findOneBy(UserEntity, { id: userId }));

const viewOf = ({ id, email }: UserEntity, { role, status }: OrganisationUserEntity): object => ({
  id,
  email,
  role,
  status,
});
