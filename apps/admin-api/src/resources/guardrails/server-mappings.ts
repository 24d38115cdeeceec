import type { GuardrailEntity, GuardrailMapping, UpstreamCapability } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { validationFailed } from '@gw/web';
import { In, Not, type EntityManager, type FindOptionsOrder, type FindOptionsWhere } from 'typeorm';
import { isUuid } from '../../platform/auth/tenancy';
import type { MappingKind } from './mapping-kinds';
import { PHASES, type Phase } from './mcp-mappings.dto';

const SERVERS_MAX = 200;
const CAPABILITIES_MAX = 1_000;
const BOTH: readonly Phase[] = ['beforeToolCall', 'afterToolCall'];

/** A validated mapping of one server or agent. */
export interface Mapping {
  readonly runOn: readonly Phase[];
  readonly capabilityIds: readonly string[];
}

type Kind = Pick<MappingKind, 'member' | 'parts' | 'one' | 'many' | 'partsOf'>;

/** Returns the mappings by server id in lower case. Throws `validation_failed` with all faults. */
export function readMappings(
  kind: Kind,
  servers: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Mapping> {
  const { member, one, many } = kind;
  const faults: ErrorDetail[] = [];
  const mappings = new Map<string, Mapping>();
  const entries = Object.entries(servers);
  if (entries.length > SERVERS_MAX)
    faults.push({ path: member, message: `must have at most ${String(SERVERS_MAX)} ${many}` });
  for (const [server, value] of entries.slice(0, SERVERS_MAX)) {
    const path = `${member}.${server.slice(0, 64)}`;
    if (!isUuid(server)) faults.push({ path, message: `must be the id of an ${one}` });
    else if (mappings.has(server.toLowerCase())) faults.push({ path, message: 'is duplicated' });
    else mappings.set(server.toLowerCase(), readMapping(kind, value, `${path}.`, faults));
  }
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
  return mappings;
}

/** Returns the mapping of one server. Throws as `readMappings` does. */
export function readOneMapping(kind: Kind, server: string, value: object): Mapping {
  const faults: ErrorDetail[] = [];
  if (!isUuid(server)) faults.push({ path: 'mcpServer', message: `must be the id of an ${kind.one}` });
  const mapping = readMapping(kind, value, '', faults);
  if (faults.length > 0) throw validationFailed(faults);
  return mapping;
}

function readMapping(kind: Kind, value: unknown, path: string, faults: ErrorDetail[]): Mapping {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push({ path: path.slice(0, -1), message: 'must be an object' });
    return { runOn: BOTH, capabilityIds: [] };
  }
  const members = value as Readonly<Record<string, unknown>>;
  const knownMembers = ['run_on', ...kind.parts];
  for (const name of Object.keys(members)) {
    if (!knownMembers.includes(name))
      faults.push({ path: `${path}${name.slice(0, 64)}`, message: 'is unknown; remove it' });
  }
  const ids =
    kind.parts.map((name) => members[name]).find((each) => each !== undefined && each !== null) ?? [];
  return {
    runOn: phasesOf(members['run_on'] ?? BOTH, `${path}run_on`, faults),
    capabilityIds: idsOf(kind, ids, `${path}${kind.parts[0]}`, faults),
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

function idsOf({ partsOf }: Kind, value: unknown, path: string, faults: ErrorDetail[]): readonly string[] {
  const given = Array.isArray(value) ? (value as readonly unknown[]) : [null];
  const ids = given.filter((id): id is string => typeof id === 'string' && isUuid(id));
  if (ids.length < given.length || ids.length > CAPABILITIES_MAX) {
    faults.push({ path, message: `must be a list of at most ${String(CAPABILITIES_MAX)} ids of ${partsOf}` });
  }
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/**
 * Throws `validation_failed` with all faults, unless the servers belong to the guardrail's
 * workspace (or organisation, for a guardrail of the organisation) and the capabilities to the
 * servers. Locks the servers, so that they cannot be archived in the meantime.
 */
export async function assertMappable(
  kind: Pick<MappingKind, 'servers' | 'capabilities' | 'one' | 'selfType'>,
  manager: EntityManager,
  { organisationId, workspaceId }: GuardrailEntity,
  wanted: ReadonlyMap<string, Mapping>,
  pathsOf: (server: string) => { readonly server: string; readonly capabilities: string },
): Promise<void> {
  const owner = workspaceId === null ? { organisationId } : { organisationId, workspaceId };
  const rows = await manager.find(kind.servers, {
    where: { ...owner, id: In([...wanted.keys()]), status: 'active' },
    order: { id: 'ASC' },
    lock: { mode: 'pessimistic_read' },
  });
  const integrationOf = new Map(rows.map(({ id, integrationId }) => [id, integrationId]));
  const ownerOf = await ownersOf(kind, manager, wanted);
  const faults: ErrorDetail[] = [];
  for (const [server, mapping] of wanted) {
    const integrationId = integrationOf.get(server);
    const paths = pathsOf(server);
    if (integrationId === undefined) {
      const place = workspaceId === null ? 'organisation' : 'workspace';
      faults.push({ path: paths.server, message: `must be an ${kind.one} of the guardrail's ${place}` });
    } else if (mapping.capabilityIds.some((id) => ownerOf.get(id) !== integrationId)) {
      faults.push({ path: paths.capabilities, message: `must be ids of capabilities of this ${kind.one}` });
    }
  }
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
}

/** Returns the integrations of the capabilities that mappings name, by capability id. */
async function ownersOf(
  { capabilities, selfType }: Pick<MappingKind, 'capabilities' | 'selfType'>,
  manager: EntityManager,
  wanted: ReadonlyMap<string, Mapping>,
): Promise<ReadonlyMap<string, string>> {
  const id = In([...wanted.values()].flatMap((mapping) => mapping.capabilityIds));
  const where: FindOptionsWhere<UpstreamCapability> = { id, type: Not(selfType) };
  const rows = await manager.find(capabilities, { where, select: { id: true, integrationId: true } });
  return new Map(rows.map((row) => [row.id, row.integrationId]));
}

/** Returns the mappings of a guardrail, oldest first. */
export function mappingsOf<M extends GuardrailMapping>(
  { entity }: Pick<MappingKind<M>, 'entity'>,
  manager: EntityManager,
  guardrailId: string,
): Promise<M[]> {
  const where: FindOptionsWhere<GuardrailMapping> = { guardrailId };
  const order: FindOptionsOrder<GuardrailMapping> = { createdAt: 'ASC', serverId: 'ASC' };
  return manager.find(entity, { where: where as FindOptionsWhere<M>, order: order as FindOptionsOrder<M> });
}

export const isSameMapping = ({ runOn, capabilityIds }: GuardrailMapping, mapping: Mapping): boolean =>
  runOn.join() === mapping.runOn.join() && capabilityIds.join() === mapping.capabilityIds.join();
