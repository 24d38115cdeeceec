import type { UpstreamIntegration } from '@gw/entities';
import { invalid, windowOf, type PageQuery } from '@gw/web';
import { Brackets, type EntityManager, type FindOptionsWhere, type SelectQueryBuilder } from 'typeorm';
import { isUuid, type TenantWhere } from '../auth/tenancy';
import type { Principal } from '../common/principal';
import { escapeLike } from '../common/text';
import { filterByLabels, type LabelsQuery } from './upstream-labels';

/** Describes one kind of integration: its entity, its table and its workspace access. */
export interface IntegrationKind<I extends UpstreamIntegration> {
  readonly entity: new () => I;
  readonly table: 'mcp_integrations' | 'agent_integrations';
  /** SQL condition: workspace `s.workspace_id` may use integration `i`. */
  readonly available: string;
  readonly reach: {
    /** Whether the caller may list integrations of the organisation. */
    readonly forOrganisation: (caller: Principal, action: 'list') => boolean;
  };
}

/**
 * Returns the SQL condition that workspace `s.workspace_id` may use integration `i`. The
 * workspace's own row takes precedence over the global access.
 */
export const availableBy = (
  accessTable: 'mcp_integration_workspaces' | 'agent_integration_workspaces',
): string => `i.status = 'active' AND (i.workspace_id = s.workspace_id OR (i.workspace_id IS NULL AND COALESCE(
  (SELECT w.enabled FROM ${accessTable} w
    WHERE w.integration_id = i.id AND w.workspace_id = s.workspace_id),
  (i.global_workspace_access->>'enabled')::boolean,
  false)))`;

/**
 * Selects the active integrations of the organisation that a workspace may use, with the alias `i`;
 * all of them when the workspace is null.
 */
export function usableIntegrations<I extends UpstreamIntegration>(
  manager: EntityManager,
  { entity, available }: Pick<IntegrationKind<I>, 'entity' | 'available'>,
  { organisationId, workspaceId }: { readonly organisationId: string; readonly workspaceId: string | null },
): SelectQueryBuilder<I> {
  const query = manager
    .createQueryBuilder(entity, 'i')
    .where(`i.organisation_id = :organisationId AND i.status = 'active'`, { organisationId });
  if (workspaceId === null) return query;
  const workspace = 'SELECT :workspaceId::uuid AS workspace_id';
  return query.andWhere(`EXISTS (SELECT FROM (${workspace}) s WHERE ${available})`, { workspaceId });
}

export interface IntegrationsQuery extends PageQuery, LabelsQuery {
  readonly type?: ('workspace' | 'organisation' | 'all')[];
  /** Text that the name or slug must contain. */
  readonly search?: string;
}

/**
 * Returns a page of the integrations that the caller may list, newest first, and the number of all
 * of them.
 */
export function listIntegrations<I extends UpstreamIntegration>(
  manager: EntityManager,
  kind: IntegrationKind<I>,
  caller: Principal,
  query: IntegrationsQuery,
): Promise<[I[], number]> {
  const kinds = query.type ?? ['all'];
  const wants = (type: 'organisation' | 'workspace'): boolean =>
    kinds.includes('all') || kinds.includes(type);
  const rows = usableIntegrations(manager, kind, caller);
  if (!(wants('organisation') && kind.reach.forOrganisation(caller, 'list')))
    rows.andWhere('i.workspace_id IS NOT NULL');
  if (!wants('workspace')) rows.andWhere('i.workspace_id IS NULL');
  if (query.search !== undefined) {
    const search = `%${escapeLike(query.search)}%`;
    const matches = new Brackets((or) => or.where('i.name ILIKE :search').orWhere('i.slug ILIKE :search'));
    rows.andWhere(matches, { search });
  }
  filterByLabels(rows, query);
  const { skip, take } = windowOf(query);
  const order = rows.orderBy('i.createdAt', 'DESC').addOrderBy('i.id', 'DESC');
  return order.skip(skip).take(take).getManyAndCount();
}

/** Returns the number of active workspaces that may use each integration, by its id. */
export async function countWorkspaces<I extends UpstreamIntegration>(
  manager: EntityManager,
  { table, available }: Pick<IntegrationKind<I>, 'table' | 'available'>,
  integrations: readonly Pick<UpstreamIntegration, 'id'>[],
): Promise<ReadonlyMap<string, number>> {
  if (integrations.length === 0) return new Map();
  const rows = await manager.query<{ id: string; count: number }[]>(
    `SELECT i.id, count(s.workspace_id)::int AS count
       FROM ${table} i
       LEFT JOIN (SELECT id AS workspace_id, organisation_id FROM workspaces WHERE status = 'active') s
         ON s.organisation_id = i.organisation_id AND ${available}
      WHERE i.id = ANY($1)
      GROUP BY i.id`,
    [integrations.map(({ id }) => id)],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/**
 * Returns an integration that the workspace may use. Locks the row until the commit, so that the
 * integration cannot be deleted or disabled for the workspace in the meantime. Throws the same
 * error for an integration that is unknown, belongs to another tenant, or is not enabled.
 */
export async function usableIntegration<I extends UpstreamIntegration>(
  manager: EntityManager,
  kind: Pick<IntegrationKind<I>, 'entity' | 'available'>,
  owner: Required<TenantWhere>,
  named: { readonly reference: string; readonly param: string; readonly what: string },
): Promise<I> {
  const { reference, param, what } = named;
  const column = isUuid(reference) ? 'i.id' : 'i.slug';
  const find = (): Promise<I | null> =>
    usableIntegrations(manager, kind, owner).andWhere(`${column} = :reference`, { reference }).getOne();
  const seen = await find();
  if (seen) {
    const where: FindOptionsWhere<UpstreamIntegration> = { id: seen.id };
    await manager.findOne(kind.entity, {
      where: where as FindOptionsWhere<I>,
      lock: { mode: 'pessimistic_read' },
    });
  }
  // Another write may have changed the access while this one waited for the lock.
  const row = seen && (await find());
  if (row) return row;
  throw invalid(param, `${param} must be ${what} that the workspace may use`);
}

/** Returns the active integrations of one kind that use a secret reference. */
export const upstreamsUsing = <I extends UpstreamIntegration>(
  manager: EntityManager,
  entity: new () => I,
  referenceId: string,
): Promise<Pick<I, 'id' | 'name' | 'slug'>[]> =>
  manager
    .createQueryBuilder(entity, 'i')
    .select(['i.id', 'i.name', 'i.slug'])
    .where(`i.status = 'active' AND i.secret_mappings IS NOT NULL`)
    .andWhere('i.secret_mappings @> :probe::jsonb', {
      probe: JSON.stringify([{ secret_reference_id: referenceId }]),
    })
    .getMany();
