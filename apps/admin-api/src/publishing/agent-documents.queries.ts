import {
  AgentIntegrationEntity,
  AgentServerEntity,
  AgentServerSkillEntity,
  AgentServerUserEntity,
  GuardrailAgentServerEntity,
  OrganisationEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { In, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { approvedCards, type ApprovedCard } from '../platform/agents/approved-cards.queries';
import { AGENT_INTEGRATION } from '../platform/rows/agent-rows';
import { mappingsOfActive } from '../platform/upstreams/guardrail-mappings.queries';

/** Rows of other tables from which the documents of agents are built. */
export interface AgentParts {
  /** Integrations by id. */
  readonly integrations: ReadonlyMap<string, AgentIntegrationEntity>;
  /** Approved cards by integration id. */
  readonly cards: ReadonlyMap<string, ApprovedCard>;
  /** Ids of skills that an agent does not offer, by agent id. */
  readonly disabled: ReadonlyMap<string, ReadonlySet<string>>;
  /** Mappings of active guardrails by agent id. */
  readonly guardrails: ReadonlyMap<string, readonly GuardrailAgentServerEntity[]>;
  /** Exceptions from the default by agent id, then by user id. */
  readonly users: ReadonlyMap<string, Readonly<Record<string, boolean>>>;
}

/**
 * Selects the active agents whose integration has an approved card and may be used by their
 * workspace.
 */
const available = (manager: EntityManager): SelectQueryBuilder<AgentServerEntity> =>
  manager
    .createQueryBuilder(AgentServerEntity, 's')
    .innerJoin(
      AgentIntegrationEntity,
      'i',
      `i.id = s.integrationId AND i.approved_endpoint IS NOT NULL AND ${AGENT_INTEGRATION.available}`,
    )
    .innerJoin(WorkspaceEntity, 'workspace', `workspace.id = s.workspaceId AND workspace.status = 'active'`)
    .innerJoin(
      OrganisationEntity,
      'organisation',
      `organisation.id = s.organisationId AND organisation.status = 'active'`,
    )
    .where(`s.status = 'active'`);

/** Returns the available agents with these names or ids. */
export const availableAgents = (
  manager: EntityManager,
  wanted: {
    readonly workspaceIds: readonly string[];
    readonly names: readonly string[];
    readonly ids: readonly string[];
  },
): Promise<AgentServerEntity[]> =>
  available(manager)
    .andWhere(
      `((s.workspaceId, s.slug) IN (
           SELECT * FROM unnest(CAST(:workspaceIds AS uuid[]), CAST(:names AS text[])))
         OR s.id = ANY(CAST(:ids AS uuid[])))`,
      wanted,
    )
    .getMany();

/** Maximum number of agents in one catalogue. */
const CATALOGUE_MAX = 1_000;

export interface Catalogue {
  readonly organisationId: string;
  readonly slugs: readonly string[];
}

/** Returns the sorted slugs of the available agents, at most 1,000, by workspace id. */
export async function catalogues(
  manager: EntityManager,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, Catalogue>> {
  const rows = await available(manager)
    .andWhere('s.workspaceId = ANY(CAST(:workspaceIds AS uuid[]))', { workspaceIds })
    .select('s.workspace_id', 'workspaceId')
    .addSelect('s.organisation_id', 'organisationId')
    .addSelect(`(array_agg(s.slug ORDER BY s.slug COLLATE "C"))[1:${String(CATALOGUE_MAX)}]`, 'slugs')
    .groupBy('s.workspace_id')
    .addGroupBy('s.organisation_id')
    .getRawMany<Catalogue & { readonly workspaceId: string }>();
  return new Map(rows.map((row) => [row.workspaceId, row]));
}

export async function partsOfAgents(
  manager: EntityManager,
  servers: readonly AgentServerEntity[],
): Promise<AgentParts> {
  const serverId = In(servers.map(({ id }) => id));
  const integrationIds = [...new Set(servers.map((row) => row.integrationId))];
  const integrations = await manager.findBy(AgentIntegrationEntity, { id: In(integrationIds) });
  const disabled = await manager.findBy(AgentServerSkillEntity, { serverId, enabled: false });
  const users = await manager.find(AgentServerUserEntity, { where: { serverId }, order: { userId: 'ASC' } });
  const mappings = await mappingsOfActive(manager, GuardrailAgentServerEntity, servers);
  const rowsOfServer = <R extends { readonly serverId: string }>(rows: readonly R[], id: string): R[] =>
    rows.filter((row) => row.serverId === id);
  return {
    integrations: new Map(integrations.map((row) => [row.id, row])),
    cards: await approvedCards(manager, integrationIds),
    guardrails: new Map(servers.map(({ id }) => [id, rowsOfServer(mappings, id)])),
    disabled: new Map(
      servers.map(({ id }) => [
        id,
        new Set(rowsOfServer(disabled, id).map(({ capabilityId }) => capabilityId)),
      ]),
    ),
    users: new Map(
      servers.map(({ id }) => [
        id,
        Object.fromEntries(rowsOfServer(users, id).map(({ userId, enabled }) => [userId, enabled])),
      ]),
    ),
  };
}
