import { OrganisationUserEntity, WorkspaceEntity, type SsoConnectionEntity } from '@gw/entities';
import type { ProvidedGroups } from '@gw/federation';
import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { membershipChanges, type MappedRole, type Membership } from '../accounts/membership-changes';
import { membershipsIn } from '../accounts/memberships';
import { MappedMemberships } from '../accounts/mapped-memberships';
import { UserKeysService } from '../keys/user-keys.service';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import type { OrganisationMembership } from '../accounts/organisation-membership';
import { rolesOf } from './group-rules';

/** Updates the roles of users at each login by the group rules of the connection. */
@Injectable()
export class SsoGroups {
  constructor(
    private readonly memberships: MappedMemberships,
    private readonly userKeys: UserKeysService,
  ) {}

  /**
   * Applies the group rules of the connection. Removes roles only if the connection has
   * `remove_mapped` and the provider sent all groups, and then only roles with the source `sso`.
   */
  async follow(
    write: Write<AuditCaller>,
    connection: SsoConnectionEntity,
    userId: string,
    groups: ProvidedGroups,
  ): Promise<void> {
    if (connection.groupRules.length === 0 && !connection.removeMapped) return;
    const { organisationId } = connection;
    const { isAdmin, workspaces, isComplete } = rolesOf(connection, groups);
    const current = await membershipsIn(write.manager, organisationId, [userId]);
    const mapped = [
      ...(await inActiveWorkspaces(write.manager, workspaces)),
      ...defaultRoles(connection, current),
    ];
    const changes = membershipChanges('sso', mapped, current);
    const mayRemove = connection.removeMapped && isComplete;
    const seat = { organisationId, userId };
    await this.memberships.apply(write, seat, 'sso', mayRemove ? changes : { ...changes, removed: [] });
    await this.followRole(write, seat, { isAdmin, mayRemove });
  }

  /**
   * Changes the organisation role between member and admin. Owners, and admins whose role has a
   * source other than `sso`, keep their role.
   */
  private async followRole(
    write: Write<AuditCaller>,
    where: OrganisationMembership,
    { isAdmin, mayRemove }: { readonly isAdmin: boolean; readonly mayRemove: boolean },
  ): Promise<void> {
    const seat = await write.manager.findOneByOrFail(OrganisationUserEntity, where);
    const isRaised = isAdmin && seat.role === 'member';
    const isLowered = !isAdmin && mayRemove && seat.role === 'admin' && seat.roleSource === 'sso';
    if (!isRaised && !isLowered) return;
    const change = isRaised
      ? ({ role: 'admin', roleSource: 'sso' } as const)
      : ({ role: 'member', roleSource: 'manual' } as const);
    await write.manager.update(OrganisationUserEntity, where, change);
    write.audit({
      action: 'update',
      resourceType: 'users',
      resourceId: where.userId,
      before: { role: seat.role },
      after: { role: change.role, source: 'sso' },
    });
    await this.userKeys.touch(write, where);
  }
}

/**
 * Returns the roles in the default workspaces in which the user still is a member. They depend on
 * no group, so a missing group does not remove them.
 */
const defaultRoles = (
  { defaultWorkspaces }: SsoConnectionEntity,
  current: readonly Membership[],
): readonly MappedRole[] => {
  const present = new Set(current.map(({ workspaceId }) => workspaceId));
  return defaultWorkspaces.flatMap(({ id, role }) => (present.has(id) ? [{ workspaceId: id, role }] : []));
};

async function inActiveWorkspaces(
  manager: EntityManager,
  mapped: readonly MappedRole[],
): Promise<readonly MappedRole[]> {
  const ids = mapped.map(({ workspaceId }) => workspaceId);
  const rows = await manager.find(WorkspaceEntity, {
    where: { id: In(ids), status: 'active' },
    select: { id: true },
  });
  const active = new Set(rows.map(({ id }) => id));
  return mapped.filter(({ workspaceId }) => active.has(workspaceId));
}
