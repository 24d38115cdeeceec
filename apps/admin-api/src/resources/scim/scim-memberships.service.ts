import {
  ScimGroupMemberEntity,
  ScimUserEntity,
  ScimWorkspaceMappingEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { membershipChanges, type MappedRole } from '../../platform/accounts/membership-changes';
import { membershipsIn } from '../../platform/accounts/memberships';
import { MappedMemberships } from '../../platform/accounts/mapped-memberships';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_UPDATE, type Write } from '../../platform/unit-of-work/writes';
import { byUser } from './by-user';

/** Maximum number of users whose memberships follow in the transaction of a change; those of the others follow in the background. */
export const AT_ONCE_MAX = 500;

/** Keeps the workspace memberships of users equal to the roles that their groups are mapped to. */
@Injectable()
export class ScimMemberships {
  constructor(private readonly memberships: MappedMemberships) {}

  /**
   * Follows a change of groups or mappings for the users. Beyond the first 500 they are marked as pending. Users that SCIM does not
   * manage are not changed.
   */
  async follow(write: Write<AuditCaller>, organisationId: string, userIds: readonly string[]): Promise<void> {
    const now = userIds.slice(0, AT_ONCE_MAX);
    const later = userIds.slice(AT_ONCE_MAX);
    await this.settle(write, organisationId, now);
    if (later.length === 0) return;
    const managed = { organisationId, userId: In([...later]) };
    await write.manager.update(ScimUserEntity, managed, { pending: true });
  }

  /** Applies the mapped roles of the users, and clears their mark. */
  async settle(write: Write<AuditCaller>, organisationId: string, userIds: readonly string[]): Promise<void> {
    if (userIds.length === 0) return;
    const { manager } = write;
    // In a fixed order, so that concurrent changes of groups cannot block each other.
    const users = await manager.find(ScimUserEntity, {
      where: { organisationId, userId: In([...userIds]) },
      order: { userId: 'ASC' },
      lock: FOR_UPDATE,
    });
    const ids = users.map(({ userId }) => userId);
    const mapped = await mappedRolesOf(manager, organisationId, ids);
    const current = byUser(await membershipsIn(manager, organisationId, ids));
    for (const { userId, active } of users) {
      const wanted = active ? (mapped.get(userId) ?? []) : [];
      const changes = membershipChanges('scim', wanted, current.get(userId) ?? []);
      await this.memberships.apply(write, { organisationId, userId }, 'scim', changes);
    }
    const marked = users.filter(({ pending }) => pending).map(({ userId }) => userId);
    if (marked.length > 0) {
      await manager.update(ScimUserEntity, { organisationId, userId: In(marked) }, { pending: false });
    }
  }
}

/** The roles that the groups of each user are mapped to, in active workspaces. */
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
    .where('member.userId IN (:...userIds)', {
      userIds: ['00000000-0000-0000-0000-000000000000', ...userIds],
    })
    .getRawMany<MappedRole & { readonly userId: string }>();
  return byUser(rows);
}
