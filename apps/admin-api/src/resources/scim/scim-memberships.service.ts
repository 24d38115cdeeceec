import {
  ScimGroupMemberEntity,
  ScimUserEntity,
  ScimWorkspaceMappingEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { Any, type EntityManager } from 'typeorm';
import { membershipChanges, type MappedRole } from '../../platform/accounts/membership-changes';
import { membershipsIn } from '../../platform/accounts/memberships';
import { MappedMemberships } from '../../platform/accounts/mapped-memberships';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_UPDATE, type Write } from '../../platform/unit-of-work/writes';
import { activeMembersAmong } from './active-members';
import { byUser } from './by-user';

/**
 * Maximum number of users whose roles are applied in the transaction of a change; the roles of
 * further users are applied in the background.
 */
export const AT_ONCE_MAX = 500;

/** Keeps the workspace memberships of users equal to the roles that their groups are mapped to. */
@Injectable()
export class ScimMemberships {
  constructor(private readonly mapped: MappedMemberships) {}

  /**
   * Applies the mapped roles of users after a change of groups or mappings. Marks users beyond the
   * first 500 as pending instead. Does not change users whom SCIM does not manage. Call it once in
   * a transaction, with all its users, after `lockManaged`.
   */
  async applyOrDefer(
    write: Write<AuditCaller>,
    organisationId: string,
    userIds: readonly string[],
  ): Promise<void> {
    const later = userIds.slice(AT_ONCE_MAX);
    await this.applyMappedRoles(write, organisationId, userIds.slice(0, AT_ONCE_MAX));
    if (later.length === 0) return;
    await markPending(write.manager, { organisationId, userIds: later, isPending: true });
  }

  /** Applies the mapped roles of the users and clears their pending marks. */
  async applyMappedRoles(
    write: Write<AuditCaller>,
    organisationId: string,
    userIds: readonly string[],
  ): Promise<void> {
    if (userIds.length === 0) return;
    const { manager } = write;
    const users = await manager.find(ScimUserEntity, {
      where: { organisationId, userId: Any(userIds) },
      order: { userId: 'ASC' },
      lock: FOR_UPDATE,
    });
    const ids = users.map(({ userId }) => userId);
    const seated = await activeMembersAmong(manager, organisationId, ids);
    const mapped = await mappedRolesOf(manager, organisationId, ids);
    const current = byUser(await membershipsIn(manager, organisationId, ids));
    for (const { userId, active } of users) {
      const wanted = active && seated.has(userId) ? (mapped.get(userId) ?? []) : [];
      const changes = membershipChanges('scim', wanted, current.get(userId) ?? []);
      await this.mapped.apply(write, { organisationId, userId }, 'scim', changes);
    }
    const marked = users.filter(({ pending }) => pending).map(({ userId }) => userId);
    if (marked.length > 0) {
      await markPending(manager, { organisationId, userIds: marked, isPending: false });
    }
  }
}

/** Sets the mark of users. Plain SQL leaves their version, and thus their ETag, unchanged. */
async function markPending(
  manager: EntityManager,
  {
    organisationId,
    userIds,
    isPending,
  }: { readonly organisationId: string; readonly userIds: readonly string[]; readonly isPending: boolean },
): Promise<void> {
  await manager.query(
    'UPDATE scim_users SET pending = $3 WHERE organisation_id = $1 AND user_id = ANY($2::uuid[])',
    [organisationId, userIds, isPending],
  );
}

/** Returns the roles in active workspaces to which the groups of each user are mapped. */
async function mappedRolesOf(
  manager: EntityManager,
  organisationId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, readonly MappedRole[]>> {
  const rows = await manager
    .createQueryBuilder(ScimGroupMemberEntity, 'member')
    .innerJoin(
      ScimWorkspaceMappingEntity,
      'mapping',
      'mapping.groupId = member.groupId AND mapping.organisationId = :organisationId',
      { organisationId },
    )
    .innerJoin(
      WorkspaceEntity,
      'workspace',
      `workspace.id = mapping.workspaceId AND workspace.status = 'active'`,
    )
    .select('member.userId', 'userId')
    .addSelect('mapping.workspaceId', 'workspaceId')
    .addSelect('mapping.role', 'role')
    .where('member.userId = ANY(:userIds)', { userIds })
    .getRawMany<MappedRole & { readonly userId: string }>();
  return byUser(rows);
}
