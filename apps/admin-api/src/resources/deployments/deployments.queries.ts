import { DeploymentEntity, GatewayEntity, WorkspaceEntity } from '@gw/entities';
import { Brackets, In, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import type { FOR_UPDATE } from '../../platform/unit-of-work/writes';
import type { Principal } from '../../platform/common/principal';
import { byReference, found, inOrganisation } from '../../platform/auth/tenancy';
import { parseTags } from '../../platform/common/tags';
import { escapeLike } from '../../platform/common/text';
import type { ListDeploymentsQuery } from './deployments.dto';
import { toDeploymentDetail, type DeploymentDetailResponse } from './deployments.view';

const GATEWAYS_MAX = 1_000;

/** Those that the query asks for, of what is selected as `d`. */
export function narrow(rows: SelectQueryBuilder<DeploymentEntity>, query: ListDeploymentsQuery): void {
  const tags = parseTags(query.tags);
  if (query.type !== undefined) rows.andWhere('d.type = :type', { type: query.type });
  if (query.source_type !== undefined)
    rows.andWhere('d.source_type = :source', { source: query.source_type });
  if (tags) rows.andWhere('d.tags @> :tags::jsonb', { tags: JSON.stringify(tags) });
  if (query.workspace_slug !== undefined) {
    rows.andWhere(
      `(d.workspaces_allowed IS NULL OR d.workspaces_allowed && ARRAY(SELECT w.id FROM workspaces w
          WHERE w.organisation_id = :organisationId AND w.status = 'active' AND w.slug IN (:...slugs)))`,
      { slugs: query.workspace_slug },
    );
  }
  if (query.search !== undefined) {
    const search = `%${escapeLike(query.search)}%`;
    rows.andWhere(new Brackets((or) => or.where('d.name ILIKE :search').orWhere('d.slug ILIKE :search')), {
      search,
    });
  }
}

/** The active one, by id or slug; 404 when the organisation has none. */
export async function findDeployment(
  manager: EntityManager,
  caller: Principal,
  reference: string,
  lock?: typeof FOR_UPDATE,
): Promise<DeploymentEntity> {
  const where = { ...inOrganisation(caller), ...byReference(reference), status: 'active' } as const;
  return found(await manager.findOne(DeploymentEntity, { where, ...(lock ? { lock } : {}) }));
}

/** The newest 1 000 of them, the one that was seen last first. */
export const gatewaysOf = (
  manager: EntityManager,
  deploymentIds: readonly string[],
): Promise<GatewayEntity[]> =>
  manager.find(GatewayEntity, {
    where: { deploymentId: In([...deploymentIds]) },
    order: { lastSeenAt: 'DESC', id: 'ASC' },
    take: GATEWAYS_MAX,
  });

export async function detailOf(
  manager: EntityManager,
  row: DeploymentEntity,
): Promise<DeploymentDetailResponse> {
  const ids = row.workspacesAllowed ?? [];
  const workspaces = await manager.find(WorkspaceEntity, {
    where: { id: In(ids), status: 'active' },
    select: { id: true, slug: true },
    order: { createdAt: 'ASC', id: 'ASC' },
  });
  const shown = workspaces.map(({ id, slug }) => ({ id, slug }));
  return toDeploymentDetail(row, await gatewaysOf(manager, [row.id]), shown);
}
