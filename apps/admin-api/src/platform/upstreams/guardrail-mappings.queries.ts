import { GuardrailEntity, type GuardrailMapping, type UpstreamServer } from '@gw/entities';
import type { EntityManager } from 'typeorm';

/**
 * Returns the mappings of active guardrails to the servers, from the servers' workspaces and
 * organisations: those of the organisation first, each group in the order of its mappings.
 */
export const mappingsOfActive = <M extends GuardrailMapping>(
  manager: EntityManager,
  entity: new () => M,
  servers: readonly UpstreamServer[],
): Promise<M[]> =>
  manager
    .createQueryBuilder(entity, 'm')
    .innerJoin(
      GuardrailEntity,
      'g',
      `g.id = m.guardrailId AND g.status = 'active' AND g.target = 'mcp_tools'
         AND (m.serverId, g.organisation_id) IN (
           SELECT * FROM unnest(CAST(:ids AS uuid[]), CAST(:organisationIds AS uuid[])))
         AND (g.workspace_id IS NULL OR (m.serverId, g.workspace_id) IN (
           SELECT * FROM unnest(CAST(:ids AS uuid[]), CAST(:workspaceIds AS uuid[]))))`,
      {
        ids: servers.map(({ id }) => id),
        organisationIds: servers.map(({ organisationId }) => organisationId),
        workspaceIds: servers.map(({ workspaceId }) => workspaceId),
      },
    )
    .orderBy('g.workspaceId', 'ASC', 'NULLS FIRST')
    .addOrderBy('m.createdAt')
    .addOrderBy('m.id')
    .getMany();
