import type { WorkspaceRole } from '@gw/auth-scopes';
import { OrganisationUserEntity, WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { assertTag, invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { UserKeysService } from '../../platform/keys/user-keys.service';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { assertMayGrant, assertNotAbove, rankOfRole, rightsOfRole } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { securityOf } from '../../platform/auth/security';
import { found, inWorkspace, isUuid } from '../../platform/auth/tenancy';
import type { AddMembersDto, ListMembersQuery, NewMemberDto, UpdateMemberDto } from './workspace-members.dto';
import { membersOf } from './workspace-members.queries';
import { toMember, type MemberResponse } from './workspaces.view';

const FIRST = { current_page: 0, page_size: 1 } as const;

/** Members of the workspace of the path, to which the caller is already narrowed. */
@Injectable()
export class WorkspaceMembersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly userKeys: UserKeysService,
  ) {}

  async list(caller: Principal, query: ListMembersQuery): Promise<ListResponse<MemberResponse>> {
    const { workspaceId } = inWorkspace(caller);
    const filter = {
      ...(query.role === undefined ? {} : { role: query.role }),
      ...(query.email === undefined ? {} : { email: query.email.toLowerCase() }),
    };
    const [rows, total] = await membersOf(this.dataSource.manager, workspaceId, query, filter);
    return listOf([rows.map(toMember), total]);
  }

  async get(caller: Principal, userId: string): Promise<MemberResponse> {
    return this.view(this.dataSource.manager, inWorkspace(caller).workspaceId, userId);
  }

  /** Throws `validation_failed` for users who are not of the organisation, `conflict` for those who are members already. */
  add(caller: Principal, input: AddMembersDto): Promise<object> {
    const { workspaceId } = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      // Holds off a deletion of the workspace until the members are in.
      await write.manager.findOneOrFail(WorkspaceEntity, { where: { id: workspaceId }, lock: FOR_UPDATE });
      await this.join(write, caller, workspaceId, input.users);
      return {};
    });
  }

  /** Lets users in, with the keys that the settings promise them. Throws as `add` does. */
  async join(
    write: Write,
    caller: Principal,
    workspaceId: string,
    users: readonly NewMemberDto[],
  ): Promise<void> {
    if (users.length === 0) return;
    const { manager } = write;
    const { organisationId } = caller;
    await assertMayGive(manager, caller, workspaceId, new Set(users.map(({ role }) => role)));
    const ids = users.map(({ id }) => id.toLowerCase());
    const seats = await manager.findBy(OrganisationUserEntity, {
      organisationId,
      userId: In(ids),
      status: 'active',
    });
    const seated = new Set(seats.map(({ userId }) => userId));
    const stranger = ids.findIndex((id, index) => !seated.has(id) || ids.indexOf(id) !== index);
    if (stranger !== -1) {
      throw invalid(`users.${String(stranger)}.id`, 'names no user of the organisation, or one named before');
    }
    const present = await manager.countBy(WorkspaceUserEntity, { workspaceId, userId: In(ids) });
    if (present > 0) throw new GatewayError('conflict', { message: 'A user is already a member.' });
    await manager.insert(
      WorkspaceUserEntity,
      users.map(({ role }, index) => ({ workspaceId, userId: ids[index] as string, role })),
    );
    for (const userId of ids) {
      const after = await this.view(manager, workspaceId, userId);
      write.audit({ action: 'create', resourceType: 'members', resourceId: userId, workspaceId, after });
      await this.userKeys.touch(write, { organisationId, workspaceId, userId });
      await this.userKeys.provision(write, { organisationId, workspaceId, userId });
    }
  }

  /** The user's keys do no more than the new role from now on. */
  update(
    caller: Principal,
    userId: string,
    input: UpdateMemberDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    const { organisationId, workspaceId } = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertMayGive(manager, caller, workspaceId, new Set([input.role]));
      const row = await this.lock(manager, workspaceId, userId);
      assertNotAbove(caller, rankOfRole('member', row.role));
      const before = await this.view(manager, workspaceId, userId);
      assertTag(ifMatch, before.etag);
      await manager.update(WorkspaceUserEntity, { workspaceId, userId }, { role: input.role });
      const after = await this.view(manager, workspaceId, userId);
      write.audit({
        action: 'update',
        resourceType: 'members',
        resourceId: userId,
        workspaceId,
        before,
        after,
      });
      await this.userKeys.touch(write, { organisationId, workspaceId, userId });
      return {};
    });
  }

  /** Takes the user's own keys of the workspace along. */
  remove(caller: Principal, userId: string, ifMatch: string | undefined): Promise<object> {
    const { organisationId, workspaceId } = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await this.lock(manager, workspaceId, userId);
      assertNotAbove(caller, rankOfRole('member', row.role));
      const before = await this.view(manager, workspaceId, userId);
      assertTag(ifMatch, before.etag);
      await manager.delete(WorkspaceUserEntity, { workspaceId, userId });
      await this.userKeys.archive(write, { organisationId, workspaceId, userId });
      write.audit({ action: 'delete', resourceType: 'members', resourceId: userId, workspaceId, before });
      return {};
    });
  }

  private async lock(
    manager: EntityManager,
    workspaceId: string,
    userId: string,
  ): Promise<WorkspaceUserEntity> {
    if (!isUuid(userId)) throw new GatewayError('not_found');
    return found(
      await manager.findOne(WorkspaceUserEntity, { where: { workspaceId, userId }, lock: FOR_UPDATE }),
    );
  }

  private async view(manager: EntityManager, workspaceId: string, userId: string): Promise<MemberResponse> {
    if (!isUuid(userId)) throw new GatewayError('not_found');
    const [[row]] = await membersOf(manager, workspaceId, FIRST, { userId });
    return toMember(found(row));
  }
}

/** Throws for a role that can do more in the workspace than the caller. */
async function assertMayGive(
  manager: EntityManager,
  caller: Principal,
  workspaceId: string,
  roles: ReadonlySet<WorkspaceRole>,
): Promise<void> {
  const settings = await securityOf(manager, caller.organisationId, workspaceId);
  for (const role of roles) {
    assertMayGrant(caller, rightsOfRole('member', role, settings), `The role ${role}`, 'role');
  }
}
