import { DeploymentEntity, GatewayEntity, WorkspaceEntity } from '@gw/entities';
import { In, Raw, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { byReference, inOrganisation } from '../../platform/auth/tenancy';
import { tagged } from '../../platform/common/tags';
import { present, type Resource } from '../../platform/resource/rows';
import type { ListDeploymentsQuery } from './deployments.dto';
import { toDeploymentDetail, type DeploymentDetailResponse } from './deployments.view';

const GATEWAYS_MAX = 1_000;

export const DEPLOYMENT: Resource<DeploymentEntity> = {
  entity: DeploymentEntity,
  type: 'deployments',
  view: (row, _caller, manager) => detailOf(manager, row),
  where: (caller, reference) => ({
    ...inOrganisation(caller),
    ...byReference(reference),
    status: 'active',
  }),
};

/**
 * Returns a condition for the deployments that match the filters of a list query, except `search`.
 */
export const matching = (
  organisationId: string,
  { type, source_type: sourceType, status, tags, workspace_slug: slugs }: ListDeploymentsQuery,
): FindOptionsWhere<DeploymentEntity> => ({
  organisationId,
  status: In(status ?? ['active']),
  ...present({ type, sourceType }),
  ...tagged(tags),
  ...(slugs === undefined ? {} : { workspacesAllowed: allowsOneOf(organisationId, slugs) }),
});

/**
 * Returns a condition for a column that is null (all workspaces) or contains one of the active
 * workspaces with these slugs.
 */
const allowsOneOf = (organisationId: string, slugs: readonly string[]) =>
  Raw(
    (column) =>
      `(${column} IS NULL OR ${column} && ARRAY(SELECT w.id FROM workspaces w
          WHERE w.organisation_id = :organisationId AND w.status = 'active' AND w.slug IN (:...slugs)))`,
    { organisationId, slugs },
  );

/** Returns for each deployment with gateways when one of them was last seen. */
export async function lastSeenOf(
  manager: EntityManager,
  deploymentIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await manager
    .createQueryBuilder(GatewayEntity, 'gateway')
    .select('gateway.deploymentId', 'id')
    .addSelect('max(gateway.lastSeenAt)', 'at')
    .where('gateway.deploymentId = ANY(:deploymentIds)', { deploymentIds })
    .groupBy('gateway.deploymentId')
    .getRawMany<{ id: string; at: Date }>();
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** Returns at most 1,000 gateways of a deployment, most recently seen first. */
const gatewaysOf = (manager: EntityManager, deploymentId: string): Promise<GatewayEntity[]> =>
  manager.find(GatewayEntity, {
    where: { deploymentId },
    order: { lastSeenAt: 'DESC', id: 'ASC' },
    take: GATEWAYS_MAX,
  });

export async function detailOf(
  manager: EntityManager,
  row: DeploymentEntity,
): Promise<DeploymentDetailResponse> {
  const workspaces = await manager.find(WorkspaceEntity, {
    where: { id: In(row.workspacesAllowed ?? []), status: 'active' },
    select: { id: true, slug: true },
    order: { createdAt: 'ASC', id: 'ASC' },
  });
  const shown = workspaces.map(({ id, slug }) => ({ id, slug }));
  return toDeploymentDetail(row, await gatewaysOf(manager, row.id), shown);
}
