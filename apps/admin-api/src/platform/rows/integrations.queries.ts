import { documentKey, type DocumentKey } from '@gw/contracts';
import { IntegrationEntity, ProviderEntity, WorkspaceEntity, type ProviderStatus } from '@gw/entities';
import { Any, Not, type EntityManager, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';
import type { Write } from '../unit-of-work/writes';
import type { Principal } from '../common/principal';
import { integrationReach, type IntegrationAction } from './integration-reach';

export type { IntegrationAction } from './integration-reach';

const REACH = integrationReach('integrations');
export const { forOrganisation: mayForOrganisation, forWorkspace: mayForWorkspace } = REACH;

/**
 * Returns the conditions of `IntegrationReach.where`, without the hidden integrations of virtual
 * keys.
 */
export const integrationsFor = (
  caller: Principal,
  action: IntegrationAction,
  reference: string,
): FindOptionsWhere<IntegrationEntity>[] =>
  REACH.where<IntegrationEntity>(caller, action, reference).map((where) => ({
    ...where,
    isVirtualKey: false,
  }));

/**
 * SQL condition: workspace `:workspaceId` may use integration `i`. The workspace's own row takes
 * precedence over the global access.
 */
const ENABLED = `(i.workspace_id = :workspaceId OR (i.workspace_id IS NULL AND COALESCE(
  (SELECT w.enabled FROM integration_workspaces w WHERE w.integration_id = i.id AND w.workspace_id = :workspaceId),
  (i.global_workspace_access->>'enabled')::boolean,
  false)))`;

/**
 * Selects the active integrations of the organisation that a workspace may use, with the alias `i`;
 * all of them when the workspace is null.
 */
export function usableIntegrations(
  manager: EntityManager,
  { organisationId, workspaceId }: { readonly organisationId: string; readonly workspaceId: string | null },
): SelectQueryBuilder<IntegrationEntity> {
  const query = manager
    .createQueryBuilder(IntegrationEntity, 'i')
    .where(`i.organisation_id = :organisationId AND i.status = 'active' AND NOT i.is_virtual_key`, {
      organisationId,
    });
  return workspaceId === null ? query : query.andWhere(ENABLED, { workspaceId });
}

/** Counts the active workspaces that may use the integration. */
export function countWorkspaces(manager: EntityManager, integration: IntegrationEntity): Promise<number> {
  if (integration.workspaceId !== null) return Promise.resolve(1);
  return manager
    .createQueryBuilder(WorkspaceEntity, 'workspace')
    .where(`workspace.organisation_id = :organisationId AND workspace.status = 'active'`, {
      organisationId: integration.organisationId,
    })
    .andWhere(
      `COALESCE((SELECT w.enabled FROM integration_workspaces w
         WHERE w.integration_id = :integrationId AND w.workspace_id = workspace.id), :global)`,
      { integrationId: integration.id, global: integration.globalWorkspaceAccess?.enabled ?? false },
    )
    .getCount();
}

/** Value of `where` for providers that are not archived. */
export const LIVE_PROVIDER = Not<ProviderStatus>('archived');

export const providerKey = (row: Pick<ProviderEntity, 'workspaceId' | 'slug'>): DocumentKey =>
  documentKey.provider(row.workspaceId, row.slug);

/** Returns the document keys of the integrations' providers that are not archived. */
export async function providerKeysOf(
  manager: EntityManager,
  integrations: readonly Pick<IntegrationEntity, 'id'>[],
): Promise<DocumentKey[]> {
  const rows = await manager.find(ProviderEntity, {
    where: { integrationId: Any(integrations.map(({ id }) => id)), status: LIVE_PROVIDER },
    select: { id: true, workspaceId: true, slug: true },
  });
  return rows.map(providerKey);
}

/** Archives the given providers and marks their documents as removed. */
export async function archiveProviders(write: Write, rows: readonly ProviderEntity[]): Promise<void> {
  for (const row of rows) row.status = 'archived';
  await write.manager.save(ProviderEntity, [...rows]);
  for (const row of rows) {
    write.audit({
      action: 'delete',
      resourceType: row.isVirtualKey ? 'virtual_keys' : 'providers',
      resourceId: row.id,
      workspaceId: row.workspaceId,
    });
  }
  write.removed(rows.map(providerKey));
}

/** Returns the integration's providers in workspaces that may no longer use the integration. */
export function strandedProviders(
  manager: EntityManager,
  integration: IntegrationEntity,
): Promise<ProviderEntity[]> {
  return manager
    .createQueryBuilder(ProviderEntity, 'provider')
    .where(`provider.integration_id = :integrationId AND provider.status <> 'archived'`, {
      integrationId: integration.id,
    })
    .andWhere(
      `NOT COALESCE((SELECT w.enabled FROM integration_workspaces w
         WHERE w.integration_id = provider.integration_id AND w.workspace_id = provider.workspace_id), :global)`,
      { global: integration.globalWorkspaceAccess?.enabled ?? false },
    )
    .getMany();
}
