import { IntegrationWorkspaceEntity, WorkspaceEntity, type IntegrationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { assertMatches, invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { isUuid } from '../../platform/auth/tenancy';
import { withUsage } from '../../platform/limits/limit-usage';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import { createDefaultProvider } from './default-provider';
import type {
  IntegrationWorkspaceDto,
  UpdateIntegrationWorkspacesDto,
  WorkspaceAccessDto,
} from './integrations.dto';
import {
  archiveProviders,
  providerKeysOf,
  strandedProviders,
} from '../../platform/rows/integrations.queries';
import { IntegrationsService } from './integrations.service';
import {
  limitOwnerOf,
  toAccess,
  type IntegrationWorkspaceResponse,
  type IntegrationWorkspacesResponse,
} from './integrations.view';

@Injectable()
export class IntegrationWorkspacesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly integrations: IntegrationsService,
  ) {}

  async list(caller: Principal, reference: string): Promise<IntegrationWorkspacesResponse> {
    const { manager } = this.dataSource;
    const integration = await this.integrations.find(manager, caller, 'read', reference);
    const { globalWorkspaceAccess, organisationId } = integration;
    const rows = await accessRowsOf(manager, integration);
    const owners = rows.map((row) => limitOwnerOf(organisationId, row));
    const workspaces = await withUsage(manager, accessResponses(integration, rows), owners);
    return { total: workspaces.length, workspaces, global_workspace_access: globalWorkspaceAccess };
  }

  update(
    caller: Principal,
    reference: string,
    input: UpdateIntegrationWorkspacesDto,
    ifMatch: string | undefined,
  ): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const integration = await this.integrations.find(manager, caller, 'update', reference, FOR_UPDATE);
      assertMatches(ifMatch, integration);
      if (integration.workspaceId !== null) {
        throw invalid('workspaces', 'an integration of one workspace cannot be shared');
      }
      const before = await accessOf(manager, integration);
      const ids = await this.workspaceIds(manager, integration, input.workspaces ?? []);
      if (input.global_workspace_access !== undefined) {
        const access = input.global_workspace_access;
        integration.globalWorkspaceAccess = access && toGlobalAccess(access);
      }
      if (input.override_existing_workspace_access === true) {
        await manager.delete(IntegrationWorkspaceEntity, {
          integrationId: integration.id,
          workspaceId: Not(In(ids)),
        });
      }
      await this.integrations.touch(manager, integration);
      for (const [i, item] of (input.workspaces ?? []).entries()) {
        await this.grant(write, integration, ids[i] as string, { item, index: i, all: input });
      }
      await archiveProviders(write, await strandedProviders(manager, integration));
      const after = await accessOf(manager, integration);
      write.audit({
        action: 'update',
        resourceType: 'integrations',
        resourceId: integration.id,
        before: { workspaces: before },
        after: { workspaces: after, global_workspace_access: integration.globalWorkspaceAccess },
      });
      write.changed(...(await providerKeysOf(write.manager, [integration])));
      return {};
    });
  }

  private async grant(
    write: Write,
    integration: IntegrationEntity,
    workspaceId: string,
    {
      item,
      index,
      all,
    }: { item: IntegrationWorkspaceDto; index: number; all: UpdateIntegrationWorkspacesDto },
  ): Promise<void> {
    const { manager } = write;
    const path = `workspaces.${String(index)}`;
    const saved = await manager.findOneBy(IntegrationWorkspaceEntity, {
      integrationId: integration.id,
      workspaceId,
    });
    const row = saved ?? newAccess(manager, integration.id, workspaceId);
    const isGain = item.enabled && !row.enabled;
    applyAccess(row, item, path);
    await manager.save(IntegrationWorkspaceEntity, row);
    if (!isGain || (item.create_default_provider ?? all.create_default_provider) === false) return;
    const own = item.default_provider_slug;
    await createDefaultProvider(write, integration, workspaceId, {
      slug: own ?? all.default_provider_slug,
      path: own === undefined ? 'default_provider_slug' : `${path}.default_provider_slug`,
    });
  }

  /** The ids of the live workspaces that are named by id or slug, in their order. */
  private async workspaceIds(
    manager: EntityManager,
    { organisationId }: IntegrationEntity,
    items: readonly IntegrationWorkspaceDto[],
  ): Promise<string[]> {
    const names = items.map(({ id }) => id);
    const live = { organisationId, status: 'active' } as const;
    const rows = await manager.find(WorkspaceEntity, {
      where: [
        { ...live, id: In(names.filter(isUuid).map((id) => id.toLowerCase())) },
        { ...live, slug: In(names.filter((name) => !isUuid(name))) },
      ],
      select: { id: true, slug: true },
    });
    const ids = new Map(rows.flatMap(({ id, slug }) => [[id, id] as const, [slug, id] as const]));
    const resolved = names.map((name, i) => {
      const id = ids.get(isUuid(name) ? name.toLowerCase() : name);
      if (id === undefined)
        throw invalid(`workspaces.${String(i)}.id`, 'names no workspace of the organisation');
      return id;
    });
    const repeated = resolved.findIndex((id, i) => resolved.indexOf(id) !== i);
    if (repeated !== -1) throw invalid(`workspaces.${String(repeated)}.id`, 'is there twice');
    return resolved;
  }
}

const newAccess = (
  manager: EntityManager,
  integrationId: string,
  workspaceId: string,
): IntegrationWorkspaceEntity =>
  manager.create(IntegrationWorkspaceEntity, {
    id: uuidv7(),
    integrationId,
    workspaceId,
    enabled: false,
    usageLimits: null,
    rateLimits: null,
    lastResetAt: null,
  });

function applyAccess(row: IntegrationWorkspaceEntity, item: IntegrationWorkspaceDto, path: string): void {
  row.enabled = item.enabled;
  if (item.usage_limits !== undefined) {
    row.usageLimits = toUsageLimits(item.usage_limits, `${path}.usage_limits`);
  }
  if (item.rate_limits !== undefined) {
    row.rateLimits = toStoredRateLimits(item.rate_limits, `${path}.rate_limits`);
  }
  if (item.reset_usage !== true) return;
  row.lastResetAt = new Date();
  row.usageLimits = row.usageLimits?.map((limit) => ({ ...limit, status: 'active' })) ?? null;
}

/** None of an integration that belongs to one workspace: it has no limits in it. */
const accessRowsOf = (
  manager: EntityManager,
  { id: integrationId, workspaceId }: IntegrationEntity,
): Promise<IntegrationWorkspaceEntity[]> =>
  workspaceId !== null
    ? Promise.resolve([])
    : manager.find(IntegrationWorkspaceEntity, {
        where: { integrationId },
        order: { createdAt: 'DESC', id: 'DESC' },
      });

const accessResponses = (
  { workspaceId: id }: IntegrationEntity,
  rows: readonly IntegrationWorkspaceEntity[],
): IntegrationWorkspaceResponse[] =>
  id !== null
    ? [{ id, enabled: true, usage_limits: null, rate_limits: null, last_reset_at: null }]
    : rows.map(toAccess);

async function accessOf(
  manager: EntityManager,
  integration: IntegrationEntity,
): Promise<IntegrationWorkspaceResponse[]> {
  return accessResponses(integration, await accessRowsOf(manager, integration));
}

const toUsageLimits = (
  input: WorkspaceAccessDto['usage_limits'],
  path: string,
): IntegrationWorkspaceEntity['usageLimits'] =>
  input && input.length > 0
    ? input.map((limit, i) => toStoredUsageLimit(limit, `${path}.${String(i)}`))
    : null;

const toGlobalAccess = (
  input: WorkspaceAccessDto,
): NonNullable<IntegrationEntity['globalWorkspaceAccess']> => ({
  enabled: input.enabled,
  usage_limits: toUsageLimits(input.usage_limits, 'global_workspace_access.usage_limits'),
  rate_limits: toStoredRateLimits(input.rate_limits ?? null, 'global_workspace_access.rate_limits'),
});
