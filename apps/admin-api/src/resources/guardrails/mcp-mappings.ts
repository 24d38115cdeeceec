import {
  GuardrailMcpServerEntity,
  McpCapabilityEntity,
  McpServerEntity,
  type GuardrailEntity,
} from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { In, Not, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import { PHASES, type McpMappingResponse, type Phase } from './mcp-mappings.dto';

const SERVERS_MAX = 200;
const CAPABILITIES_MAX = 1_000;
const BOTH: readonly Phase[] = ['beforeToolCall', 'afterToolCall'];
const MEMBERS = new Set(['run_on', 'capability_ids', 'mcp_integration_capability_ids']);

/** A validated mapping of one MCP server. */
export interface Mapping {
  readonly runOn: readonly Phase[];
  readonly capabilityIds: readonly string[];
}

/** Returns the mappings by server id in lower case. Throws `validation_failed` with all faults. */
export function readMappings(servers: Readonly<Record<string, unknown>>): ReadonlyMap<string, Mapping> {
  const faults: ErrorDetail[] = [];
  const mappings = new Map<string, Mapping>();
  const entries = Object.entries(servers);
  if (entries.length > SERVERS_MAX)
    faults.push({ path: 'mcp_servers', message: `must have at most ${String(SERVERS_MAX)} servers` });
  for (const [server, value] of entries.slice(0, SERVERS_MAX)) {
    const path = `mcp_servers.${server.slice(0, 64)}`;
    if (!isUuid(server)) faults.push({ path, message: 'must be the id of an MCP server' });
    else if (mappings.has(server.toLowerCase())) faults.push({ path, message: 'is duplicated' });
    else mappings.set(server.toLowerCase(), readMapping(value, `${path}.`, faults));
  }
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
  return mappings;
}

/** Returns the mapping of one server. Throws as `readMappings` does. */
export function readOneMapping(server: string, value: object): Mapping {
  const faults: ErrorDetail[] = [];
  if (!isUuid(server)) faults.push({ path: 'mcpServer', message: 'must be the id of an MCP server' });
  const mapping = readMapping(value, '', faults);
  if (faults.length > 0) throw validationFailed(faults);
  return mapping;
}

function readMapping(value: unknown, path: string, faults: ErrorDetail[]): Mapping {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push({ path: path.slice(0, -1), message: 'must be an object' });
    return { runOn: BOTH, capabilityIds: [] };
  }
  const given = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(given)) {
    if (!MEMBERS.has(name))
      faults.push({ path: `${path}${name.slice(0, 64)}`, message: 'is unknown; remove it' });
  }
  const capabilities = given['capability_ids'] ?? given['mcp_integration_capability_ids'] ?? [];
  return {
    runOn: phasesOf(given['run_on'] ?? BOTH, `${path}run_on`, faults),
    capabilityIds: idsOf(capabilities, `${path}capability_ids`, faults),
  };
}

function phasesOf(value: unknown, path: string, faults: ErrorDetail[]): readonly Phase[] {
  const given = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const phases = BOTH.filter((phase) => given.includes(phase) || given.includes(PHASES[phase]));
  const isKnown = given.every((name) => BOTH.some((phase) => name === phase || name === PHASES[phase]));
  if (phases.length === 0 || !isKnown)
    faults.push({ path, message: 'must be a list of beforeToolCall, afterToolCall, or both' });
  return phases;
}

function idsOf(value: unknown, path: string, faults: ErrorDetail[]): readonly string[] {
  const given = Array.isArray(value) ? (value as readonly unknown[]) : [null];
  const ids = given.filter((id): id is string => typeof id === 'string' && isUuid(id));
  if (ids.length < given.length || ids.length > CAPABILITIES_MAX) {
    faults.push({ path, message: `must be a list of at most ${String(CAPABILITIES_MAX)} ids of tools` });
  }
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/**
 * Throws `validation_failed` with all faults, unless the servers are those of the guardrail's workspace (of the
 * organisation, for a guardrail of the organisation) and the capabilities those of the servers. Locks the servers
 * against an end meanwhile.
 */
export async function assertMappable(
  manager: EntityManager,
  { organisationId, workspaceId }: GuardrailEntity,
  wanted: ReadonlyMap<string, Mapping>,
  pathsOf: (server: string) => { readonly server: string; readonly capabilities: string },
): Promise<void> {
  const owner = workspaceId === null ? { organisationId } : { organisationId, workspaceId };
  const rows = await manager.find(McpServerEntity, {
    where: { ...owner, id: In([...wanted.keys()]), status: 'active' },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_read' },
  });
  const integrationOf = new Map(rows.map(({ id, integrationId }) => [id, integrationId]));
  const capabilityIds = [...wanted.values()].flatMap((mapping) => mapping.capabilityIds);
  const capabilities = await manager.find(McpCapabilityEntity, {
    where: { id: In(capabilityIds), type: Not('server') },
    select: { id: true, integrationId: true },
  });
  const ownerOf = new Map(capabilities.map((row) => [row.id, row.integrationId]));
  const faults: ErrorDetail[] = [];
  for (const [server, mapping] of wanted) {
    const integrationId = integrationOf.get(server);
    const paths = pathsOf(server);
    if (integrationId === undefined) {
      const place = workspaceId === null ? 'organisation' : 'workspace';
      faults.push({ path: paths.server, message: `must be an MCP server of the guardrail's ${place}` });
    } else if (mapping.capabilityIds.some((id) => ownerOf.get(id) !== integrationId)) {
      const message = 'must be ids of capabilities of this MCP server';
      faults.push({ path: paths.capabilities, message });
    }
  }
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
}

/** Returns the mappings of a guardrail, oldest first. */
export const mappingsOf = (
  manager: EntityManager,
  guardrailId: string,
): Promise<GuardrailMcpServerEntity[]> =>
  manager.find(GuardrailMcpServerEntity, {
    where: { guardrailId },
    order: { createdAt: 'ASC', mcpServerId: 'ASC' },
  });

export const isSameMapping = (
  { runOn, capabilityIds }: GuardrailMcpServerEntity,
  mapping: Mapping,
): boolean => runOn.join() === mapping.runOn.join() && capabilityIds.join() === mapping.capabilityIds.join();

export const toMapping = ({
  id,
  guardrailId,
  mcpServerId,
  runOn,
  capabilityIds,
}: GuardrailMcpServerEntity): McpMappingResponse => ({
  id,
  guardrail_id: guardrailId,
  mcp_server_id: mcpServerId,
  run_on: runOn,
  capability_ids: capabilityIds,
  mcp_integration_capability_ids: capabilityIds,
});
