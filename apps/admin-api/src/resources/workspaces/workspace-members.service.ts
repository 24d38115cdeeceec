import type { WorkspaceRole } from '@gw/auth-scopes';
import { OrganisationUserEntity, WorkspaceEntity, WorkspaceUserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { UserKeysService } from '../../platform/keys/user-keys.service';
import type { UserPlace } from '../../platform/keys/user-key-rules';
import { endAgentAccess } from '../../platform/rows/agent-rows';
import { endMcpAccess } from '../../platform/rows/mcp-rows';
import { FOR_CHANGE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { assertMayGrant, assertNotAbove, rankOfRole, rightsOfRole } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { audit, endRow, patchRow, type Resource } from '../../platform/resource/rows';
import { securityOf } from '../../platform/auth/security';
import { found, idOf, inWorkspace } from '../../platform/auth/tenancy';
import type {
  AddMembersDto,
  ListMembersQuery,
  MemberResponse,
  NewMemberDto,
  UpdateMemberDto,
} from './workspace-members.dto';
import { findMember, membersOf } from './workspace-members.queries';

/**
 * Manages the members of the workspace in the path. The access guard has already restricted the
 * caller to it.
 */
@Injectable()
export class WorkspaceMembersService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly userKeys: UserKeysService,
  ) {}

  async list(caller: Principal, query: ListMembersQuery): Promise<ListResponse<MemberResponse>> {
    const { workspaceId } = inWorkspace(caller);
    return listOf(await membersOf(this.dataSource.manager, workspaceId, query, query));
  }

  async get({ caller, reference }: ResourceReference): Promise<MemberResponse> {
    return findMember(this.dataSource.manager, inWorkspace(caller).workspaceId, reference);
  }

  /**
   * Adds members. Throws `validation_failed` for users outside the organisation, `conflict` for
   * users who are already members, and `not_found` when the workspace has just been deleted.
   */
  add(caller: Principal, input: AddMembersDto): Promise<object> {
    const { workspaceId } = inWorkspace(caller);
    return this.writes.run(caller, async (write) => {
      // The lock delays a deletion of the workspace until the members are stored.
      const where = { id: workspaceId, status: 'active' } as const;
      found(await write.manager.findOne(WorkspaceEntity, { where, lock: FOR_CHANGE }));
      await this.join(write, workspaceId, input.users);
      return {};
    });
  }

  /**
   * Adds members and creates the keys that the settings provide for new members. Throws as `add`
   * does.
   */
  async join(write: Write<Principal>, workspaceId: string, users: readonly NewMemberDto[]): Promise<void> {
    if (users.length === 0) return;
    const { manager, caller } = write;
    const { organisationId } = caller;
    await assertMayGive(write, workspaceId, new Set(users.map(({ role }) => role)));
    const ids = users.map(({ id }) => id.toLowerCase());
    const seats = await manager.findBy(OrganisationUserEntity, {
      organisationId,
      userId: In(ids),
      status: 'active',
    });
    const seated = new Set(seats.map(({ userId }) => userId));
    const outsider = ids.findIndex((id, index) => !seated.has(id) || ids.indexOf(id) !== index);
    if (outsider !== -1) {
      throw invalid(
        `users.${String(outsider)}.id`,
        'must be a user of the organisation and must not occur twice',
      );
    }
    const present = await manager.countBy(WorkspaceUserEntity, { workspaceId, userId: In(ids) });
    if (present > 0) throw new GatewayError('conflict', { message: 'A user is already a member.' });
    const rows = users.map(({ role }, index) =>
      manager.create(WorkspaceUserEntity, { workspaceId, userId: ids[index] as string, role }),
    );
    await manager.insert(WorkspaceUserEntity, rows);
    for (const row of rows) {
      const at = { organisationId, workspaceId, userId: row.userId };
      audit(write, MEMBER, 'create', row, { after: await MEMBER.view(row, caller, manager) });
      await this.userKeys.touch(write, at);
      await this.userKeys.provision(write, at);
    }
  }

  /** Changes the role, which limits the user's keys from then on. */
  update(at: ResourceReference, { role }: UpdateMemberDto): Promise<object> {
    return this.writes.run(at.caller, async (write) => {
      await assertMayGive(write, inWorkspace(at.caller).workspaceId, new Set([role]));
      return patchRow(write, MEMBER, at, async (member) => {
        Object.assign(member, { role, source: 'manual' });
        await this.userKeys.touch(write, placeOf(at));
      });
    });
  }

  /**
   * Removes the member, archives the user's own keys of the workspace, and ends the user's
   * connections to MCP servers.
   */
  remove(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      endRow(write, MEMBER, at, async ({ workspaceId, userId }) => {
        const place = placeOf(at);
        await write.manager.delete(WorkspaceUserEntity, { workspaceId, userId });
        await this.userKeys.archive(write, place);
        await endMcpAccess(write, place);
        await endAgentAccess(write, place);
      }),
    );
  }
}

const MEMBER: Resource<WorkspaceUserEntity> = {
  entity: WorkspaceUserEntity,
  type: 'members',
  idOf: ({ userId }) => userId,
  where: (caller, reference) => ({ workspaceId: inWorkspace(caller).workspaceId, userId: idOf(reference) }),
  allow: ({ role }, caller) => assertNotAbove(caller, rankOfRole('member', role)),
  view: ({ workspaceId, userId }, _caller, manager) => findMember(manager, workspaceId, userId),
  tag: async ({ workspaceId, userId }, manager) => (await findMember(manager, workspaceId, userId)).etag,
};

const placeOf = ({ caller, reference }: ResourceReference): UserPlace => ({
  ...inWorkspace(caller),
  userId: idOf(reference),
});

/** Throws when one of the roles has more rights in the workspace than the caller. */
async function assertMayGive(
  { manager, caller }: Write<Principal>,
  workspaceId: string,
  roles: ReadonlySet<WorkspaceRole>,
): Promise<void> {
  const settings = await securityOf(manager, caller.organisationId, workspaceId);
  for (const role of roles) {
    assertMayGrant(caller, rightsOfRole('member', role, settings), `The role ${role}`, 'role');
  }
}
