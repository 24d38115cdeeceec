import { AgentIntegrationEntity, AgentSkillEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { In, IsNull, type EntityManager } from 'typeorm';
import type { Resource } from '../../platform/resource/rows';
import { AGENT_INTEGRATION, AGENT_REACH, keysOfAgents } from '../../platform/rows/agent-rows';
import type { IntegrationAction, IntegrationReach } from '../../platform/rows/integration-reach';
import { countWorkspaces } from '../../platform/upstreams/usable-integrations';
import { toAgentIntegration, type AgentCounts } from './agent-integrations.view';

/** Returns the numbers of workspaces and skills of each integration. */
export async function countsOf(
  manager: EntityManager,
  rows: readonly Pick<AgentIntegrationEntity, 'id'>[],
): Promise<(row: Pick<AgentIntegrationEntity, 'id'>) => AgentCounts> {
  const workspaces = await countWorkspaces(manager, AGENT_INTEGRATION, rows);
  const skills = new Map(
    (
      await manager
        .createQueryBuilder(AgentSkillEntity, 'k')
        .select('k.integration_id', 'id')
        .addSelect('count(*)::int', 'count')
        .where({ integrationId: In(rows.map(({ id }) => id)), type: 'skill', goneAt: IsNull() })
        .groupBy('k.integration_id')
        .getRawMany<{ id: string; count: number }>()
    ).map(({ id, count }) => [id, count]),
  );
  return ({ id }) => ({ workspaces: workspaces.get(id) ?? 0, skills: skills.get(id) ?? 0 });
}

/** Returns the newest card of an integration as JSON; null when there is none. */
export async function storedCard(
  manager: EntityManager,
  { id }: Pick<AgentIntegrationEntity, 'id'>,
): Promise<string | null> {
  const row = await manager.findOne(AgentIntegrationEntity, {
    where: { id },
    select: { id: true, card: true },
  });
  return row?.card ?? null;
}

/**
 * Describes the agent integrations on which a caller may perform the action; the caller's scopes
 * decide which ones.
 */
export const agentIntegrationTo = (
  action: IntegrationAction,
  reach: IntegrationReach = AGENT_REACH,
): Resource<AgentIntegrationEntity> => ({
  entity: AgentIntegrationEntity,
  type: 'agent_integrations',
  view: async (row, _caller, manager) => toAgentIntegration(row, (await countsOf(manager, [row]))(row)),
  where: (caller, reference) => {
    const where = reach.where<AgentIntegrationEntity>(caller, action, reference);
    if (where.length === 0) throw new GatewayError('not_found');
    return where;
  },
  changes: (row, manager) => keysOfAgents(manager, row),
});
