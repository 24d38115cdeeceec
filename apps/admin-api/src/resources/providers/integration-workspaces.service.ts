import { IntegrationWorkspaceEntity, type IntegrationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, Not, type EntityManager } from 'typeorm';
import { accessWorkspaceIds } from '../../platform/auth/workspace-references';
import type { Principal } from '../../platform/common/principal';
import { withUsage } from '../../platform/limits/limit-usage';
import { toStoredRateLimits, toStoredUsageLimit } from '../../platform/limits/limits';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, patchRow, type Resource } from '../../platform/resource/rows';
import { archiveProviders, strandedProviders } from '../../platform/rows/integrations.queries';
import { Writes, type Write } from '../../platform/unit-of-work/writes';
import type {
  IntegrationWorkspaceDto,
  UpdateIntegrationWorkspacesDto,
  WorkspaceAccessDto,
} from './integrations.dto';
import { integrationTo } from './integrations.service';
import {
  limitOwnerOf,
  toAccess,
  type IntegrationWorkspaceResponse,
  type IntegrationWorkspacesResponse,
} from './integrations.view';
import { createDefaultProvider } from './provider-rows';

/** Describes an integration whose audit records show its workspace access. */
const INTEGRATION: Resource<IntegrationEntity> = {
  ...integrationTo('update'),
  view: async (row, _caller, manager) => ({
    workspaces: await accessOf(manager, row),
    global_workspace_access: row.globalWorkspaceAccess,
  }),
};

@Injectable()
export class IntegrationWorkspacesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async list(at: ResourceReference): Promise<IntegrationWorkspacesResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, integrationTo('read'), at);
    const { globalWorkspaceAccess, organisationId } = integration;
    const rows = await accessRowsOf(manager, integration);
    const owners = rows.map((row) => limitOwnerOf(organisationId, row));
    const workspaces = await withUsage(manager, accessResponses(integration, rows), owners);
    return { total: workspaces.length, workspaces, global_workspace_access: globalWorkspaceAccess };
  }

  update(at: ResourceReference, input: UpdateIntegrationWorkspacesDto): Promise<object> {
    return this.writes.run(at.caller, (write) => {
      const { manager } = write;
      return patchRow(write, INTEGRATION, at, async (integration) => {
        if (integration.workspaceId !== null) {
          throw invalid('workspaces', 'an integration of a workspace cannot be shared with other workspaces');
        }
        const ids = await accessWorkspaceIds(manager, integration.organisationId, input.workspaces ?? []);
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
        for (const [i, item] of (input.workspaces ?? []).entries()) {
          await this.grant(write, integration, ids[i] as string, { item, index: i, all: input });
        }
        await archiveProviders(write, await strandedProviders(manager, integration));
        integration.version += 1;
      });
    });
  }

  private async grant(
    write: Write<Principal>,
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
    const row = saved ?? newAccess(manager, integration, workspaceId);
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
}

/**
 * Returns a new row of a workspace, which takes precedence over the global access; it therefore
 * starts with the limits of an enabled global access.
 */
function newAccess(
  manager: EntityManager,
  { id: integrationId, globalWorkspaceAccess }: IntegrationEntity,
  workspaceId: string,
): IntegrationWorkspaceEntity {
  const inForce = globalWorkspaceAccess?.enabled === true ? globalWorkspaceAccess : null;
  return manager.create(IntegrationWorkspaceEntity, {
    id: uuidv7(),
    integrationId,
    workspaceId,
    enabled: false,
    usageLimits: inForce?.usage_limits ? [...inForce.usage_limits] : null,
    rateLimits: inForce?.rate_limits ? [...inForce.rate_limits] : null,
    lastResetAt: null,
  });
}

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

/**
 * Returns the access rows of an integration; none for an integration of a workspace, which has no
 * limits per workspace.
 */
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
