import { documentKey, type DocumentKey } from '@gw/contracts';
import { IntegrationEntity, ProviderEntity, WorkspaceEntity, type ProviderStatus } from '@gw/entities';
import { In, IsNull, Not, type EntityManager, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';
import type { Write } from '../unit-of-work/writes';
import type { Principal } from '../common/principal';
import { byReference } from '../auth/tenancy';

export type IntegrationAction = 'create' | 'read' | 'update' | 'delete' | 'list';

/** True when the caller may do this to integrations of the organisation itself. */
export const mayForOrganisation = (caller: Principal, action: IntegrationAction): boolean =>
  caller.scopes.has(`organisation_integrations.${action}`);

/** True when the caller may do this to integrations of a workspace in their reach. */
export const mayForWorkspace = (caller: Principal, action: IntegrationAction): boolean =>
  mayForOrganisation(caller, action) || caller.scopes.has(`workspace_integrations.${action}`);

/**
 * The live integrations that the caller may reach for an action: the organisation's with the scope of the organisation, a
 * workspace's within the workspace of the call. Empty: none.
 */
export function integrationsFor(
  caller: Principal,
  action: IntegrationAction,
  reference: string,
): FindOptionsWhere<IntegrationEntity>[] {
  const live = {
    organisationId: caller.organisationId,
    status: 'active',
    isVirtualKey: false,
    ...byReference(reference),
  } as const;
  return [
    ...(mayForOrganisation(caller, action) ? [{ ...live, workspaceId: IsNull() }] : []),
    ...(mayForWorkspace(caller, action)
      ? [{ ...live, workspaceId: caller.workspaceId ?? Not(IsNull()) }]
      : []),
  ];
}

/** SQL: the integration `i` may be used by the workspace `:workspaceId`. A row of its own goes before the global access. */
const ENABLED = `(i.workspace_id = :workspaceId OR (i.workspace_id IS NULL AND COALESCE(
  (SELECT w.enabled FROM integration_workspaces w WHERE w.integration_id = i.id AND w.workspace_id = :workspaceId),
  (i.global_workspace_access->>'enabled')::boolean,
  false)))`;

/** The live integrations of the organisation that a workspace may use, as the alias `i`; all of them for a null workspace. */
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

/** Live workspaces that may use the integration. */
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

/** For `where`: a provider that is not archived. */
export const LIVE_PROVIDER = Not<ProviderStatus>('archived');

export const providerKey = (row: Pick<ProviderEntity, 'workspaceId' | 'slug'>): DocumentKey =>
  documentKey.provider(row.workspaceId, row.slug);

/** The documents of the live providers of integrations. */
export async function providerKeysOf(
  manager: EntityManager,
  integrations: readonly Pick<IntegrationEntity, 'id'>[],
): Promise<DocumentKey[]> {
  const rows = await manager.find(ProviderEntity, {
    where: { integrationId: In(integrations.map(({ id }) => id)), status: LIVE_PROVIDER },
    select: { id: true, workspaceId: true, slug: true },
  });
  return rows.map(providerKey);
}

/** Archives the given providers and tells the gateways that they are gone. */
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
  write.removed(...rows.map(providerKey));
}

/** The live providers of an integration whose workspace may not use it any more. */
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
