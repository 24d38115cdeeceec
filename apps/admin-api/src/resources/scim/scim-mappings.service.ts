import {
  ScimGroupEntity,
  ScimGroupMemberEntity,
  ScimWorkspaceMappingEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { assertMatches, invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, ILike, In, type EntityManager } from 'typeorm';
import { lockManaged } from '../../platform/accounts/managed-users';
import { assertMayGrant, rightsOfRole } from '../../platform/auth/grants';
import { securityOf } from '../../platform/auth/security';
import { found, idOf, inOrganisation, inWorkspace } from '../../platform/auth/tenancy';
import { escapeLike } from '../../platform/common/text';
import type { Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { scimSettingsOf } from '../../platform/tenant-settings/scim-settings';
import type { AuditCaller } from '../../platform/unit-of-work/audit-recorder';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { readGroupName } from './group-names';
import {
  toMapping,
  type CreateScimMappingDto,
  type DeletedScimMapping,
  type ListScimGroupsQuery,
  type ListScimMappingsQuery,
  type ScimGroupListResponse,
  type ScimMappingListResponse,
  type ScimMappingResponse,
} from './scim-mappings.dto';
import { ScimGroupMembers } from './scim-group-members.service';
import { ScimMemberships } from './scim-memberships.service';
import { workspaceNamed } from './scim-workspaces';

/** Manages the workspace roles that groups give, by mappings or by names that match the pattern. */
@Injectable()
export class ScimMappingsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly members: ScimGroupMembers,
    private readonly memberships: ScimMemberships,
  ) {}

  create(caller: Principal, input: CreateScimMappingDto): Promise<ScimMappingResponse> {
    const { role } = input;
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { organisationId, workspaceId } = inWorkspace(caller);
      const settings = await securityOf(manager, organisationId, workspaceId);
      assertMayGrant(caller, rightsOfRole('member', role, settings), `The role ${role}`, 'role');
      const group = await this.groupOf(write, organisationId, input);
      const { id: groupId } = group;
      await assertOneRole(manager, groupId, workspaceId, role);
      const mapping = manager.create(ScimWorkspaceMappingEntity, {
        id: uuidv7(),
        organisationId,
        groupId,
        workspaceId,
        role,
      });
      await manager.save(ScimWorkspaceMappingEntity, mapping);
      const view = toMapping(mapping, group);
      write.audit({ action: 'create', resourceType: 'scim_mappings', resourceId: mapping.id, after: view });
      const users = [...(await this.members.of(manager, groupId))];
      await lockManaged(manager, organisationId, users);
      await this.memberships.applyOrDefer(write, organisationId, users);
      return view;
    });
  }

  async list(caller: Principal, query: ListScimMappingsQuery): Promise<ScimMappingListResponse> {
    const { organisationId } = caller;
    const { page, page_size: size, role, scim_group_id: groupId } = query;
    const [rows, total] = await this.dataSource.manager.findAndCount(ScimWorkspaceMappingEntity, {
      where: {
        organisationId,
        ...(caller.workspaceId === null ? {} : { workspaceId: caller.workspaceId }),
        ...(groupId === undefined ? {} : { groupId }),
        ...(role === undefined ? {} : { role }),
      },
      order: { createdAt: 'ASC', id: 'ASC' },
      skip: page * size,
      take: size,
    });
    const groups = await this.dataSource.manager.findBy(ScimGroupEntity, {
      id: In(rows.map((row) => row.groupId)),
    });
    const byId = new Map(groups.map((group) => [group.id, group]));
    const mappings = rows.map((row) => toMapping(row, byId.get(row.groupId) ?? { displayName: '' }));
    return { mappings, page, page_size: size, total_count: total };
  }

  /** Deletes a mapping. The users keep their memberships, which SCIM then no longer removes. */
  remove({ caller, reference, ifMatch }: ResourceReference): Promise<DeletedScimMapping> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { organisationId } = caller;
      const id = idOf(reference);
      const where = {
        id,
        organisationId,
        ...(caller.workspaceId === null ? {} : { workspaceId: caller.workspaceId }),
      };
      const row = found(await manager.findOne(ScimWorkspaceMappingEntity, { where, lock: FOR_UPDATE }));
      assertMatches(ifMatch, row);
      const group = await manager.findOneByOrFail(ScimGroupEntity, { id: row.groupId });
      await manager.delete(ScimWorkspaceMappingEntity, { id });
      await releaseMembers(manager, row);
      const before = toMapping(row, group);
      write.audit({ action: 'delete', resourceType: 'scim_mappings', resourceId: id, before });
      return { success: true };
    });
  }

  async groups(caller: Principal, query: ListScimGroupsQuery): Promise<ScimGroupListResponse> {
    const { organisationId } = inOrganisation(caller);
    const { manager } = this.dataSource;
    const { page, page_size: size, search } = query;
    const [rows, total] = await manager.findAndCount(ScimGroupEntity, {
      where: {
        organisationId,
        ...(search === undefined ? {} : { displayName: ILike(`%${escapeLike(search)}%`) }),
      },
      order: { createdAt: 'ASC', id: 'ASC' },
      skip: page * size,
      take: size,
    });
    const counts = await manager
      .createQueryBuilder(ScimGroupMemberEntity, 'member')
      .select('member.groupId', 'id')
      .addSelect('count(*)::int', 'members')
      .where('member.groupId = ANY(:ids)', { ids: rows.map(({ id }) => id) })
      .groupBy('member.groupId')
      .getRawMany<{ id: string; members: number }>();
    const byId = new Map(counts.map(({ id, members }) => [id, members]));
    const groups = rows.map((row) => ({
      id: row.id,
      name: row.displayName,
      external_id: row.externalId,
      members: byId.get(row.id) ?? 0,
      created_at: row.createdAt.toISOString(),
    }));
    return { groups, page, page_size: size, total_count: total };
  }

  /**
   * Makes the mapping of a group match its name, and creates the workspace that the name contains.
   * Returns whether this changed anything; the caller must then apply the mapped roles.
   */
  async followName(write: Write<AuditCaller>, group: ScimGroupEntity): Promise<boolean> {
    const { manager } = write;
    const { organisationId, id: groupId, displayName } = group;
    const settings = await scimSettingsOf(manager, organisationId);
    const parsedName = readGroupName(displayName, settings);
    const has = await manager.findBy(ScimWorkspaceMappingEntity, { groupId, origin: 'pattern' });
    const workspaceId =
      parsedName === null ? null : await workspaceNamed(write, organisationId, parsedName.workspace);
    const isSame = (row: ScimWorkspaceMappingEntity): boolean =>
      row.workspaceId === workspaceId && row.role === parsedName?.role;
    const ended = has.filter((row) => !isSame(row));
    if (ended.length > 0) {
      await manager.delete(ScimWorkspaceMappingEntity, { id: In(ended.map(({ id }) => id)) });
    }
    if (parsedName === null || workspaceId === null || has.some(isSame)) return ended.length > 0;
    const row = {
      id: uuidv7(),
      organisationId,
      groupId,
      workspaceId,
      role: parsedName.role,
      origin: 'pattern' as const,
    };
    await manager.delete(ScimWorkspaceMappingEntity, { groupId, workspaceId });
    await manager.insert(ScimWorkspaceMappingEntity, row);
    const after = { workspace_id: workspaceId, scim_group: displayName, role: parsedName.role };
    write.audit({ action: 'create', resourceType: 'scim_mappings', resourceId: row.id, workspaceId, after });
    return true;
  }

  /**
   * Finds or creates the group of a mapping and locks it, so that mappings of one group are created
   * one after another.
   */
  private async groupOf(
    write: Write<AuditCaller>,
    organisationId: string,
    { scim_group_id: id, scim_group_name: name }: CreateScimMappingDto,
  ): Promise<ScimGroupEntity> {
    if ((id === undefined) === (name === undefined)) {
      throw invalid('scim_group_id', 'exactly one of scim_group_id and scim_group_name must be sent');
    }
    const { manager } = write;
    if (name === undefined) {
      const where = { organisationId, id: id ?? '' };
      const group = await manager.findOne(ScimGroupEntity, { where, lock: FOR_UPDATE });
      if (group === null) throw invalid('scim_group_id', 'scim_group_id names no group of the organisation');
      return group;
    }
    const settings = await scimSettingsOf(manager, organisationId);
    if (readGroupName(name, settings) !== null) {
      throw invalid('scim_group_name', 'a group of this name gives a role by its name; choose another name');
    }
    const displayNameKey = name.toLowerCase();
    const fresh = { id: uuidv7(), organisationId, displayName: name, displayNameKey };
    await manager.createQueryBuilder().insert().into(ScimGroupEntity).values(fresh).orIgnore().execute();
    return manager.findOneOrFail(ScimGroupEntity, {
      where: { organisationId, displayNameKey },
      lock: FOR_UPDATE,
    });
  }
}

/**
 * Throws `conflict` for a second mapping of the pair, and `validation_failed` for a role other than
 * the one that the group has in other workspaces.
 */
async function assertOneRole(
  manager: EntityManager,
  groupId: string,
  workspaceId: string,
  role: string,
): Promise<void> {
  const others = await manager.findBy(ScimWorkspaceMappingEntity, { groupId });
  const other = others.find((each) => each.role !== role);
  if (other !== undefined) {
    throw invalid('role', `the group has the role ${other.role} in other workspaces; send that role`);
  }
  if (!others.some((each) => each.workspaceId === workspaceId)) return;
  throw new GatewayError('conflict', { message: 'The group is mapped to this workspace already.' });
}

/** Turns the memberships that only this mapping gave into manual memberships. */
async function releaseMembers(
  manager: EntityManager,
  { groupId, workspaceId }: ScimWorkspaceMappingEntity,
): Promise<void> {
  await manager
    .createQueryBuilder()
    .update(WorkspaceUserEntity)
    .set({ source: 'manual' })
    .where('workspace_id = :workspaceId', { workspaceId })
    .andWhere(`source = 'scim'`)
    .andWhere('user_id IN (SELECT user_id FROM scim_group_members WHERE group_id = :groupId)', { groupId })
    .andWhere(
      `NOT EXISTS (SELECT 1 FROM scim_group_members member JOIN scim_workspace_mappings mapping ON mapping.group_id = member.group_id
         WHERE member.user_id = workspace_users.user_id AND mapping.workspace_id = :workspaceId)`,
    )
    .execute();
}
