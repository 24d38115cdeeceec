import { OrganisationUserEntity, WorkspaceEntity, type SsoConnectionEntity } from '@gw/entities';
import type { ProvidedGroups } from '@gw/federation';
import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { membershipChanges, type Given, type Membership } from '../accounts/desired-memberships';
import { membershipsIn } from '../accounts/memberships';
import { GivenMemberships } from '../accounts/given-memberships';
import type { Seat } from '../accounts/membership-ends';
import { UserKeysService } from '../keys/user-keys.service';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import type { Write } from '../unit-of-work/writes';
import { rolesOf } from './group-rules';

/** Gives users at each login what their groups at the identity provider give. */
@Injectable()
export class SsoGroups {
  constructor(
    private readonly memberships: GivenMemberships,
    private readonly userKeys: UserKeysService,
  ) {}

  /**
   * Applies the group rules of the connection. Takes nothing away unless the connection says so (`remove_mapped`) and all groups are
   * known, and then only what single sign-on gave.
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
    const has = await membershipsIn(write.manager, organisationId, [userId]);
    const given = [...(await alive(write.manager, workspaces)), ...standing(connection, has)];
    const changes = membershipChanges('sso', given, has);
    const mayRemove = connection.removeMapped && isComplete;
    const seat = { organisationId, userId };
    await this.memberships.apply(write, seat, 'sso', mayRemove ? changes : { ...changes, removed: [] });
    await this.followRole(write, seat, { isAdmin, mayRemove });
  }

  /** Makes members administrators and back. Owners, and administrators whom people have made, stay what they are. */
  private async followRole(
    write: Write<AuditCaller>,
    where: Seat,
    { isAdmin, mayRemove }: { readonly isAdmin: boolean; readonly mayRemove: boolean },
  ): Promise<void> {
    const seat = await write.manager.findOneByOrFail(OrganisationUserEntity, where);
    const isRaised = isAdmin && seat.role === 'member';
    const isLowered = !isAdmin && mayRemove && seat.role === 'admin' && seat.roleSource === 'sso';
    if (!isRaised && !isLowered) return;
    const given = isRaised
      ? ({ role: 'admin', roleSource: 'sso' } as const)
      : ({ role: 'member', roleSource: 'manual' } as const);
    await write.manager.update(OrganisationUserEntity, where, given);
    write.audit({
      action: 'update',
      resourceType: 'users',
      resourceId: where.userId,
      before: { role: seat.role },
      after: { role: given.role, source: 'sso' },
    });
    await this.userKeys.touch(write, where);
  }
}

/** Default workspaces that the user is still in: no group gave them, so no missing group takes them away. */
const standing = (
  { defaultWorkspaces }: SsoConnectionEntity,
  has: readonly Membership[],
): readonly Given[] => {
  const present = new Set(has.map(({ workspaceId }) => workspaceId));
  return defaultWorkspaces.flatMap(({ id, role }) => (present.has(id) ? [{ workspaceId: id, role }] : []));
};

async function alive(manager: EntityManager, given: readonly Given[]): Promise<readonly Given[]> {
  const ids = given.map(({ workspaceId }) => workspaceId);
  const rows = await manager.find(WorkspaceEntity, {
    where: { id: In(ids), status: 'active' },
    select: { id: true },
  });
  const active = new Set(rows.map(({ id }) => id));
  return given.filter(({ workspaceId }) => active.has(workspaceId));
}
