import type { McpCapabilityFacts, McpServerDocument } from '@gw/contracts';
import {
  GuardrailMcpServerEntity,
  McpCapabilityEntity,
  McpIntegrationEntity,
  McpServerCapabilityEntity,
  McpServerEntity,
  McpServerUserEntity,
  OrganisationEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { isServed, LISTED_TYPES, splitOperation } from '@gw/mcp';
import { In, IsNull, type EntityManager } from 'typeorm';
import { MCP_AVAILABLE } from '../rows/mcp-rows';
import { mappingsOfActive } from '../upstreams/guardrail-mappings.queries';

/** Rows of other tables from which the documents of servers are built. */
export interface McpParts {
  /** Integrations by id. */
  readonly integrations: ReadonlyMap<string, McpIntegrationEntity>;
  /** Served capabilities by integration id, tools first. */
  readonly capabilities: ReadonlyMap<string, readonly McpCapabilityFacts[]>;
  /** URIs of all resources that an integration's server lists, by integration id. */
  readonly resources: ReadonlyMap<string, readonly string[]>;
  /** Ids of capabilities that a server does not offer, by server id. */
  readonly disabled: ReadonlyMap<string, ReadonlySet<string>>;
  /** Users by server id. */
  readonly users: ReadonlyMap<string, readonly McpServerUserEntity[]>;
  /** Mappings of active guardrails by server id. */
  readonly guardrails: ReadonlyMap<string, readonly GuardrailMcpServerEntity[]>;
}

/** Returns the active servers with these names or ids whose integration their workspace may use. */
export const availableServers = (
  manager: EntityManager,
  wanted: {
    readonly workspaceIds: readonly string[];
    readonly names: readonly string[];
    readonly ids: readonly string[];
  },
): Promise<McpServerEntity[]> =>
  manager
    .createQueryBuilder(McpServerEntity, 's')
    .innerJoin(McpIntegrationEntity, 'i', `i.id = s.integrationId AND ${MCP_AVAILABLE}`)
    .innerJoin(WorkspaceEntity, 'workspace', `workspace.id = s.workspaceId AND workspace.status = 'active'`)
    .innerJoin(
      OrganisationEntity,
      'organisation',
      `organisation.id = s.organisationId AND organisation.status = 'active'`,
    )
    .where(
      `((s.workspaceId, s.slug) IN (
           SELECT * FROM unnest(CAST(:workspaceIds AS uuid[]), CAST(:names AS text[])))
         OR s.id = ANY(CAST(:ids AS uuid[])))`,
      wanted,
    )
    .andWhere(`s.status = 'active'`)
    .getMany();

export async function partsOfServers(
  manager: EntityManager,
  servers: readonly McpServerEntity[],
): Promise<McpParts> {
  const serverId = In(servers.map(({ id }) => id));
  const integrationIds = [...new Set(servers.map((row) => row.integrationId))];
  const integrations = await manager.findBy(McpIntegrationEntity, { id: In(integrationIds) });
  const disabled = await manager.findBy(McpServerCapabilityEntity, { serverId, enabled: false });
  const users = await manager.find(McpServerUserEntity, { where: { serverId }, order: { userId: 'ASC' } });
  return {
    integrations: new Map(integrations.map((row) => [row.id, row])),
    capabilities: await servedCapabilities(manager, integrationIds),
    resources: await listedResources(manager, integrationIds),
    disabled: new Map(
      [...grouped(disabled, (row) => row.serverId)].map(([id, rows]) => [
        id,
        new Set(rows.map(({ capabilityId }) => capabilityId)),
      ]),
    ),
    users: grouped(users, (row) => row.serverId),
    guardrails: grouped(
      await mappingsOfActive(manager, GuardrailMcpServerEntity, servers),
      ({ serverId: id }) => id,
    ),
  };
}

/**
 * Returns the capabilities that callers of a server may see: those that are served, without those
 * that the server has switched off.
 */
export function capabilitiesOf(
  { id, integrationId }: McpServerEntity,
  parts: McpParts,
): McpCapabilityFacts[] {
  const switchedOff = parts.disabled.get(id) ?? new Set<string>();
  const served = (parts.capabilities.get(integrationId) ?? []).filter((each) => !switchedOff.has(each.id));
  return parts.integrations.get(integrationId)?.kind === 'openapi' ? served.map(withOwnOperation) : served;
}

/**
 * Returns the capabilities that callers of a server may see, and the URIs of the resources that
 * they may not see.
 */
export function offerOf(
  row: McpServerEntity,
  parts: McpParts,
): Pick<McpServerDocument, 'capabilities' | 'withheldResources'> {
  const capabilities = capabilitiesOf(row, parts);
  const offered = new Set(capabilities.filter(({ type }) => type === 'resource').map(({ name }) => name));
  const withheldResources = (parts.resources.get(row.integrationId) ?? []).filter((uri) => !offered.has(uri));
  return { capabilities, ...(withheldResources.length > 0 && { withheldResources }) };
}

/** Moves the HTTP request of a tool out of its definition, which clients see. */
function withOwnOperation(facts: McpCapabilityFacts): McpCapabilityFacts {
  const { definition, operation } = splitOperation(facts.definition);
  return { ...facts, definition, ...(operation && { operation: { ...operation } }) };
}

/**
 * Returns the capabilities that are approved, listed by the server and enabled at the integration.
 */
async function servedCapabilities(
  manager: EntityManager,
  integrationIds: readonly string[],
): Promise<Map<string, McpCapabilityFacts[]>> {
  const rows = await manager
    .createQueryBuilder(McpCapabilityEntity, 'c')
    .select(['c.id', 'c.integrationId', 'c.type', 'c.name', 'c.approved', 'c.state'])
    .where('c.integrationId = ANY(CAST(:integrationIds AS uuid[]))', { integrationIds })
    .andWhere('c.enabled AND c.gone_at IS NULL AND c.approved IS NOT NULL')
    .orderBy('c.position')
    .addOrderBy('c.id')
    .getMany();
  const served = rows.filter(({ state }) => isServed(state));
  const ordered = LISTED_TYPES.flatMap((type) =>
    served
      .filter((row) => row.type === type)
      .map(({ id, name, approved, integrationId }) => ({
        integrationId,
        fact: { id, type, name, definition: approved ?? {} },
      })),
  );
  return new Map(
    [...grouped(ordered, (each) => each.integrationId)].map(([id, rowsOfIt]) => [
      id,
      rowsOfIt.map(({ fact }) => fact),
    ]),
  );
}

async function listedResources(
  manager: EntityManager,
  integrationIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await manager.find(McpCapabilityEntity, {
    select: { integrationId: true, name: true },
    where: { integrationId: In(integrationIds), type: 'resource', goneAt: IsNull() },
    order: { position: 'ASC', id: 'ASC' },
  });
  return new Map(
    [...grouped(rows, ({ integrationId }) => integrationId)].map(([id, listed]) => [
      id,
      listed.map(({ name }) => name),
    ]),
  );
}

function grouped<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
