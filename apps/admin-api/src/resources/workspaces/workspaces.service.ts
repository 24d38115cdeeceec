import { documentKey } from '@gw/contracts';
import { WorkspaceEntity } from '@gw/entities';
import { GatewayError, randomHex, uuidv7 } from '@gw/kernel';
import { assertMatches, invalid, listOf, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Like, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { rankOf } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { securityOf } from '../../platform/auth/security';
import { byReference, found } from '../../platform/auth/tenancy';
import { applyTenantSettings } from './workspace-settings';
import { assertSlugFree } from '../../platform/common/slugs';
import { escapeLike, slugOf } from '../../platform/common/text';
import { withUsage } from '../../platform/limits/limit-usage';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import { CLEARED_DEFAULTS, defaultSlugsOf, mergeDefaults } from './workspace-defaults';
import { assertNothingShared } from '../../platform/rows/prompts-of-workspace';
import { archiveDependents, countDependents } from './workspace-dependents';
import { toNewMembers } from './workspace-members.dto';
import { membersOf } from './workspace-members.queries';
import { WorkspaceMembersService } from './workspace-members.service';
import type {
  CreateWorkspaceDto,
  DeleteWorkspaceDto,
  GetWorkspaceQuery,
  ListWorkspacesQuery,
  UpdateWorkspaceDto,
} from './workspaces.dto';
import { displayName, withoutEmoji } from './workspace-names';
import { holdRestrictions, restrictionsOf, setByOf } from './workspace-restrictions';
import { limitOwnerOf, toMember, toWorkspace, type WorkspaceResponse } from './workspaces.view';

/** The workspaces that the caller may know of: of the organisation, narrowed to theirs. */
export function visibleTo(caller: Principal): FindOptionsWhere<WorkspaceEntity> {
  const { organisationId, workspaceId, organisationRole, memberships } = caller;
  if (workspaceId !== null) return { organisationId, id: workspaceId };
  if (organisationRole === 'member') return { organisationId, id: In([...memberships.keys()]) };
  return { organisationId };
}

function maySee(caller: Principal, id: string): boolean {
  if (caller.workspaceId !== null) return caller.workspaceId === id;
  return caller.organisationRole !== 'member' || caller.memberships.has(id);
}

@Injectable()
export class WorkspacesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly members: WorkspaceMembersService,
  ) {}

  create(caller: Principal, input: CreateWorkspaceDto): Promise<WorkspaceResponse> {
    return this.writes.run(caller, async (write) => {
      const { name } = input;
      const id = uuidv7();
      const slug = input.slug ?? `ws-${slugOf(name, 6)}-${randomHex(3)}`;
      await assertSlugFree(write.manager, WorkspaceEntity, { organisationId: caller.organisationId, slug });
      if (input.defaults?.user_api_key_config) {
        throw invalid('defaults.user_api_key_config', 'a new workspace has no configs yet');
      }
      const owner = { organisationId: caller.organisationId, workspaceId: null, defaults: {} };
      const defaults = await mergeDefaults(write.manager, owner, input.defaults ?? {});
      await write.manager.insert(WorkspaceEntity, {
        id,
        organisationId: caller.organisationId,
        slug,
        name,
        icon: input.icon || null,
        description: input.description ?? null,
        defaults,
        usageLimits: toStoredUsageLimits(input.usage_limits),
        rateLimits: toStoredRateLimits(input.rate_limits ?? null),
        limitsRank: rankOf(caller),
        setBy: setByOf(caller, defaults),
        createdBy: caller.userId,
        creationSource: caller.kind === 'session' ? 'ui' : 'api',
      });
      const row = await write.manager.findOneByOrFail(WorkspaceEntity, { id });
      const after = toWorkspace(row, await defaultSlugsOf(write.manager, [row]));
      write.audit({
        action: 'create',
        resourceType: 'workspaces',
        resourceId: id,
        workspaceId: id,
        after,
      });
      await this.members.join(write, caller, id, toNewMembers(input.users));
      write.changed(documentKey.workspace(id));
      return after;
    });
  }

  async list(caller: Principal, query: ListWorkspacesQuery): Promise<ListResponse<WorkspaceResponse>> {
    const mayWantArchived = caller.organisationRole !== 'member' && caller.workspaceId === null;
    const statuses = (query.status ?? ['active']).filter((status) => status === 'active' || mayWantArchived);
    const name =
      query.exact_name ?? (query.name === undefined ? undefined : Like(`%${escapeLike(query.name)}%`));
    const [rows, total] = await this.dataSource.manager.findAndCount(WorkspaceEntity, {
      where: {
        ...visibleTo(caller),
        status: In(statuses),
        ...(name === undefined ? {} : { name }),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    const { manager } = this.dataSource;
    const slugs = await defaultSlugsOf(manager, rows);
    const answers = rows.map((row) => toWorkspace(row, slugs, query.name_format));
    return listOf([await withUsage(manager, answers, rows.map(limitOwnerOf)), total]);
  }

  async get(caller: Principal, reference: string, query: GetWorkspaceQuery): Promise<WorkspaceResponse> {
    const { manager } = this.dataSource;
    const row = await this.find(manager, caller, reference);
    const slugs = await defaultSlugsOf(manager, [row]);
    const [members] = await membersOf(manager, row.id, { current_page: 0, page_size: 1000 });
    const security = await securityOf(manager, row.organisationId, row.id);
    const view = toWorkspace(row, slugs, query.name_format, security);
    const [shown] = await withUsage(manager, [view], [limitOwnerOf(row)]);
    return { ...found(shown), users: members.map(toMember) };
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateWorkspaceDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await this.find(manager, caller, reference, true);
      assertMatches(ifMatch, row);
      const before = await this.viewOf(manager, row);
      await this.apply(manager, caller, row, input);
      await manager.save(WorkspaceEntity, row);
      write.audit({
        action: 'update',
        resourceType: 'workspaces',
        resourceId: row.id,
        workspaceId: row.id,
        before,
        after: await this.viewOf(manager, row),
      });
      write.changed(documentKey.workspace(row.id));
      return {};
    });
  }

  /** Soft: the row stays, archived, under a slug that frees the old one. */
  remove(
    caller: Principal,
    reference: string,
    input: DeleteWorkspaceDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const row = await this.find(write.manager, caller, reference, true);
      assertMatches(ifMatch, row);
      this.assertNamed(row, input.name);
      if (row.isDefault) {
        throw new GatewayError('conflict', { message: 'The default workspace cannot be deleted.' });
      }
      await this.releaseDependents(write, row, input.force_delete === true);
      const before = await this.viewOf(write.manager, row);
      row.status = 'archived';
      row.slug = `${row.slug.slice(0, 230)}-archived-${String(Date.now())}`;
      await write.manager.save(WorkspaceEntity, row);
      write.audit({
        action: 'delete',
        resourceType: 'workspaces',
        resourceId: row.id,
        workspaceId: row.id,
        before,
      });
      write.removed(documentKey.workspace(row.id));
      return {};
    });
  }

  private async releaseDependents(write: Write, row: WorkspaceEntity, force: boolean): Promise<void> {
    await assertNothingShared(write.manager, row.id);
    const dependents = await countDependents(write.manager, row.id);
    if (dependents.length > 0 && !force) {
      throw new GatewayError('conflict', {
        message: 'The workspace still has resources; delete them first or send force_delete.',
        details: dependents.map(({ kind, count }) => ({ path: kind, message: `${String(count)} left` })),
      });
    }
    await archiveDependents(write, row.id);
  }

  private async apply(
    manager: EntityManager,
    caller: Principal,
    row: WorkspaceEntity,
    input: UpdateWorkspaceDto,
  ): Promise<void> {
    const before = restrictionsOf(row);
    if (input.name !== undefined) row.name = input.name;
    if (input.description !== undefined) row.description = input.description;
    if (input.icon !== undefined) row.icon = input.icon || null;
    if (input.usage_limits !== undefined) row.usageLimits = toStoredUsageLimits(input.usage_limits);
    if (input.rate_limits !== undefined) row.rateLimits = toStoredRateLimits(input.rate_limits);
    if (input.defaults !== undefined) {
      const { organisationId, id: workspaceId, defaults } = row;
      const owner = { organisationId, workspaceId, defaults };
      row.defaults = await mergeDefaults(manager, owner, input.defaults ?? CLEARED_DEFAULTS);
    }
    await applyTenantSettings(manager, caller, row, input);
    const isReset = input.reset_usage === true;
    if (isReset) resetUsage(row);
    holdRestrictions(caller, row, before, isReset);
  }

  /** An emoji before the name is ignored, in the row and in what was sent. */
  private assertNamed(row: WorkspaceEntity, given: string): void {
    if (withoutEmoji(given) !== withoutEmoji(row.name) && given !== displayName(row, 'display')) {
      throw invalid('name', 'name must equal the name of the workspace');
    }
  }

  private async find(
    manager: EntityManager,
    caller: Principal,
    reference: string,
    forUpdate = false,
  ): Promise<WorkspaceEntity> {
    const row = await manager.findOne(WorkspaceEntity, {
      where: { ...byReference(reference), organisationId: caller.organisationId, status: 'active' },
      ...(forUpdate ? { lock: FOR_UPDATE } : {}),
    });
    return found(row && maySee(caller, row.id) ? row : null);
  }

  private async viewOf(manager: EntityManager, row: WorkspaceEntity): Promise<WorkspaceResponse> {
    const slugs = await defaultSlugsOf(manager, [row]);
    return { ...toWorkspace(row, slugs), security_settings: row.securitySettings };
  }
}

function resetUsage(row: WorkspaceEntity): void {
  row.lastResetAt = new Date();
  row.usageLimits = row.usageLimits?.map((limit) => ({ ...limit, status: 'active' })) ?? null;
}

const toStoredUsageLimits = (input: UpdateWorkspaceDto['usage_limits']): WorkspaceEntity['usageLimits'] =>
  input && input.length > 0
    ? input.map((limit, index) => toStoredUsageLimit(limit, `usage_limits.${String(index)}`))
    : null;
