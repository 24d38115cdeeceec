import { documentKey } from '@gw/contracts';
import { WorkspaceEntity } from '@gw/entities';
import { GatewayError, randomHex } from '@gw/kernel';
import { invalid, listOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { And, DataSource, Equal, In, Like, type EntityManager, type FindOperator } from 'typeorm';
import { Writes, type Write } from '../../platform/unit-of-work/writes';
import { rankOf } from '../../platform/auth/grants';
import { isLoggedIn, type Principal } from '../../platform/common/principal';
import { securityOf } from '../../platform/auth/security';
import { byReference, found } from '../../platform/auth/tenancy';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  archiveRow,
  createRow,
  findRow,
  listRows,
  patchRow,
  type Resource,
} from '../../platform/resource/rows';
import { applyTenantSettings } from './workspace-settings';
import { assertSlugFree } from '../../platform/common/slugs';
import { escapeLike, slugOf } from '../../platform/common/text';
import { assertNotUsed } from '../../platform/common/uses';
import { withUsage } from '../../platform/limits/limit-usage';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import { CLEARED_DEFAULTS, defaultSlugsOf, mergeDefaults } from './workspace-defaults';
import { assertNothingShared } from '../../platform/rows/prompts-of-workspace';
import { archiveDependents, dependentsOf } from './workspace-dependents';
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
import { limitOwnerOf, toWorkspace, type WorkspaceResponse } from './workspaces.view';

/**
 * Returns a condition for the workspaces of the organisation that the caller may see: all, its own,
 * or those of which it is a member.
 */
function visibleTo(caller: Principal): {
  readonly organisationId: string;
  readonly id?: FindOperator<string>;
} {
  const { organisationId, workspaceId, organisationRole, memberships } = caller;
  if (workspaceId !== null) return { organisationId, id: Equal(workspaceId) };
  if (organisationRole === 'member')
    return { organisationId, id: In([...memberships.keys()]) as FindOperator<string> };
  return { organisationId };
}

const WORKSPACE: Resource<WorkspaceEntity> = {
  entity: WorkspaceEntity,
  type: 'workspaces',
  workspaceOf: ({ id }) => id,
  view: async (row, _caller, manager) => ({
    ...toWorkspace(row, await defaultSlugsOf(manager, [row])),
    security_settings: row.securitySettings,
  }),
  where: (caller, reference) => {
    const [visible, named] = [visibleTo(caller), byReference(reference)];
    const id = 'id' in named && visible.id ? { id: And(Equal(named.id), visible.id) } : {};
    return { ...visible, ...named, ...id, status: 'active' };
  },
  documents: ({ id }) => [documentKey.workspace(id)],
};

@Injectable()
export class WorkspacesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly members: WorkspaceMembersService,
  ) {}

  create(caller: Principal, input: CreateWorkspaceDto): Promise<WorkspaceResponse> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { organisationId } = caller;
      const { name, slug = `ws-${slugOf(name, 6)}-${randomHex(3)}` } = input;
      await assertSlugFree(manager, WorkspaceEntity, { organisationId, slug });
      if (input.defaults?.user_api_key_config) {
        throw invalid('defaults.user_api_key_config', 'a new workspace has no configs yet');
      }
      const owner = { organisationId, workspaceId: null, defaults: {} };
      const defaults = await mergeDefaults(manager, owner, input.defaults ?? {});
      const limits = {
        usageLimits: toStoredUsageLimits(input.usage_limits),
        rateLimits: toStoredRateLimits(input.rate_limits ?? null),
      };
      const isLimited = limits.usageLimits !== null || limits.rateLimits !== null;
      const row = await createRow(write, WORKSPACE, {
        organisationId,
        slug,
        name,
        icon: input.icon || null,
        description: input.description ?? null,
        defaults,
        ...limits,
        limitsRank: isLimited ? rankOf(caller) : 0,
        setBy: setByOf(caller, defaults),
        createdBy: caller.userId,
        creationSource: isLoggedIn(caller) ? 'ui' : 'api',
      });
      write.changed(documentKey.workspaceSlug(organisationId, slug));
      await this.members.join(write, row.id, toNewMembers(input.users));
      return toWorkspace(row, await defaultSlugsOf(manager, [row]));
    });
  }

  async list(caller: Principal, query: ListWorkspacesQuery): Promise<ListResponse<WorkspaceResponse>> {
    const { manager } = this.dataSource;
    const maySeeArchived = caller.organisationRole !== 'member' && caller.workspaceId === null;
    const statuses = (query.status ?? ['active']).filter((status) => status === 'active' || maySeeArchived);
    const name =
      query.exact_name ?? (query.name === undefined ? undefined : Like(`%${escapeLike(query.name)}%`));
    const [rows, total] = await listRows(manager, WORKSPACE, query, {
      where: { ...visibleTo(caller), status: In(statuses), ...(name === undefined ? {} : { name }) },
    });
    const slugs = await defaultSlugsOf(manager, rows);
    const views = rows.map((row) => toWorkspace(row, slugs, query.name_format));
    return listOf([await withUsage(manager, views, rows.map(limitOwnerOf)), total]);
  }

  async get(at: ResourceReference, query: GetWorkspaceQuery): Promise<WorkspaceResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, WORKSPACE, at);
    const slugs = await defaultSlugsOf(manager, [row]);
    const [users] = await membersOf(manager, row.id, { current_page: 0, page_size: 1000 });
    const security = await securityOf(manager, row.organisationId, row.id);
    const view = toWorkspace(row, slugs, query.name_format, security);
    const [shown] = await withUsage(manager, [view], [limitOwnerOf(row)]);
    return { ...found(shown), users };
  }

  update(at: ResourceReference, input: UpdateWorkspaceDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      patchRow(write, WORKSPACE, at, (row) => apply(write.manager, at.caller, row, input)),
    );
  }

  /** Archives the workspace and changes its slug, so that a new workspace can use the slug. */
  remove(at: ResourceReference, input: DeleteWorkspaceDto): Promise<object> {
    return this.writes.run(at.caller, (write) =>
      archiveRow(write, WORKSPACE, at, async (row) => {
        assertNamed(row, input.name);
        if (row.isDefault) {
          throw new GatewayError('conflict', { message: 'The default workspace cannot be deleted.' });
        }
        await releaseDependents(write, row, input.force_delete === true);
        write.removed(documentKey.workspaceSlug(row.organisationId, row.slug));
        row.slug = `${row.slug.slice(0, 230)}-archived-${String(Date.now())}`;
      }),
    );
  }
}

async function releaseDependents(write: Write, { id }: WorkspaceEntity, force: boolean): Promise<void> {
  await assertNothingShared(write.manager, id);
  if (!force) {
    assertNotUsed(
      'The workspace still has resources; delete them first or send force_delete.',
      await dependentsOf(write.manager, id),
    );
  }
  await archiveDependents(write, id);
}

async function apply(
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

/** Throws unless `given` is the name of the workspace. A leading emoji is ignored in both. */
function assertNamed(row: WorkspaceEntity, given: string): void {
  if (withoutEmoji(given) !== withoutEmoji(row.name) && given !== displayName(row, 'display')) {
    throw invalid('name', 'name must equal the name of the workspace');
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
