import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { McpCapabilityEntity, type McpIntegrationEntity, type StoredMcpServerInfo } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import {
  approvalState,
  capabilityDigest,
  capabilityName,
  findingContext,
  findingsOf,
  type CapabilityType,
  type FindingContext,
  type JsonObject,
} from '@gw/mcp';
import { isStorable } from '@gw/web';

/** Bounds of what is kept of one server. Characters are of the definitions as JSON. */
const BOUNDS = {
  capabilitiesMax: 5_000,
  nameLengthMax: 2_048,
  definitionCharactersMax: 262_144,
  charactersMax: 8_388_608,
} as const;
export const SERVER_NAME = '@server';

export interface ReadCapability {
  readonly type: CapabilityType;
  readonly name: string;
  readonly definition: JsonObject;
}

/** What a server says of itself at one time. */
export interface ServerSnapshot {
  readonly info: StoredMcpServerInfo;
  /** In the order of the server: tools, prompts, resources, templates. */
  readonly capabilities: readonly ReadCapability[];
  /** Whether the server lists more than is kept. */
  readonly isCut: boolean;
}

export const nameDigestOf = (name: string): string => createHash('sha256').update(name).digest('hex');

export const capabilityKey = (type: string, nameDigest: string): string => `${type}:${nameDigest}`;

/**
 * Returns the capabilities that can be kept: the first of each name, without those that Postgres cannot store, within
 * `BOUNDS`.
 */
export function keptCapabilities(
  listed: readonly (readonly [CapabilityType, readonly JsonObject[]])[],
): Pick<ServerSnapshot, 'capabilities' | 'isCut'> {
  const seen = new Set<string>();
  const capabilities: ReadCapability[] = [];
  let [characters, isCut] = [0, false];
  for (const [type, items] of listed)
    for (const definition of items) {
      const name = capabilityName(type, definition);
      const key = `${type}:${name}`;
      if (name === '' || name.length > BOUNDS.nameLengthMax || seen.has(key) || !isStorable(definition))
        continue;
      seen.add(key);
      const size = JSON.stringify(definition).length;
      const isTooMuch =
        capabilities.length === BOUNDS.capabilitiesMax || characters + size > BOUNDS.charactersMax;
      if (isTooMuch || size > BOUNDS.definitionCharactersMax) {
        isCut = true;
        if (isTooMuch) return { capabilities, isCut };
        continue;
      }
      characters += size;
      capabilities.push({ type, name, definition });
    }
  return { capabilities, isCut };
}

/** The server itself as a capability, so that a change of its instructions is approved like one of a tool. */
const serverCapability = (info: StoredMcpServerInfo): ReadCapability => {
  const { name, version, title, description, instructions } = info;
  const texts = Object.entries({ name, version, title, description, instructions });
  return {
    type: 'server',
    name: SERVER_NAME,
    definition: Object.fromEntries(texts.filter(([, text]) => text !== null)),
  };
};

/** A capability whose definition is another one than that which was approved. */
export interface CapabilityChange {
  readonly type: string;
  readonly name: string;
  readonly digest: string;
  readonly state: string;
}

export interface SnapshotChanges {
  /** New and changed rows. */
  readonly rows: readonly McpCapabilityEntity[];
  /** Approved capabilities whose definition has changed since the last snapshot. */
  readonly changed: readonly CapabilityChange[];
  /** Row of the server itself. */
  readonly server: McpCapabilityEntity;
}

type Rules = Pick<McpIntegrationEntity, 'id' | 'url' | 'approvalMode' | 'onChange' | 'lastSyncedAt'>;

/**
 * Compares a snapshot with the saved rows of its integration, and returns the rows to save. `otherNames`: names of tools
 * of other servers that callers see together with these.
 */
export function changesOf(
  integration: Rules,
  saved: readonly McpCapabilityEntity[],
  snapshot: ServerSnapshot,
  { otherNames, now }: { readonly otherNames: readonly string[]; readonly now: Date },
): SnapshotChanges {
  const known = new Map(saved.map((row) => [capabilityKey(row.type, row.nameDigest), row]));
  const context = findingContext({
    otherNames,
    ownNames: snapshot.capabilities.map(({ name }) => name),
    serverHost: URL.canParse(integration.url) ? new URL(integration.url).hostname : null,
  });
  const rows: McpCapabilityEntity[] = [];
  const changed: CapabilityChange[] = [];
  const apply = (read: ReadCapability, position: number): McpCapabilityEntity => {
    const key = capabilityKey(read.type, nameDigestOf(read.name));
    const before = known.get(key) ?? null;
    known.delete(key);
    const row = updatedRow(integration, before, { read, position, context, now });
    if (before === null || !isSameRow(before, row)) rows.push(row);
    if (before !== null && before.approved !== null && before.digest !== row.digest)
      changed.push({ type: row.type, name: row.name.slice(0, 255), digest: row.digest, state: row.state });
    return row;
  };
  const server = apply(serverCapability(snapshot.info), 0);
  for (const [position, read] of snapshot.capabilities.entries()) apply(read, position);
  for (const gone of known.values())
    if (gone.goneAt === null) rows.push(Object.assign(new McpCapabilityEntity(), gone, { goneAt: now }));
  return { rows, changed, server };
}

const COMPARED = [
  ...(['position', 'definition', 'digest', 'approved', 'state', 'findings', 'goneAt'] as const),
] as const;

const isSameRow = (one: McpCapabilityEntity, other: McpCapabilityEntity): boolean =>
  COMPARED.every((member) => isDeepStrictEqual(one[member], other[member]));

interface Reading {
  readonly read: ReadCapability;
  readonly position: number;
  readonly context: FindingContext;
  readonly now: Date;
}

/** Returns a copy of the row, or a new one, as the snapshot makes it. */
function updatedRow(
  integration: Rules,
  before: McpCapabilityEntity | null,
  { read: { type, name, definition }, position, context, now }: Reading,
): McpCapabilityEntity {
  const digest = capabilityDigest(type, definition);
  const findings = findingsOf(type, definition, context).map(({ rule, severity }) => ({ rule, severity }));
  const computed = approvalState({
    ...{ mode: integration.approvalMode, type, now: definition, findings, onChange: integration.onChange },
    approved: before?.approved ?? null,
    isFirstSnapshot: integration.lastSyncedAt === null,
  });
  const state = before?.state === 'rejected' ? afterRejection(before, digest, computed) : computed;
  const isDecided = state === 'approved' && before?.digest !== digest;
  return Object.assign(new McpCapabilityEntity(), before ?? newRow(integration, type, name), {
    ...{ position, definition, digest, findings, state, goneAt: null },
    approved: state === 'approved' ? definition : (before?.approved ?? null),
    ...(isDecided ? { decidedBy: null, decidedAt: now } : {}),
  });
}

const newRow = (
  { id: integrationId }: Rules,
  type: CapabilityType,
  name: string,
): Partial<McpCapabilityEntity> => ({
  ...{ id: uuidv7(), integrationId, type, name, nameDigest: nameDigestOf(name), enabled: true },
  ...{ decidedBy: null, decidedAt: null },
});

/** After a rejection, only an administrator approves another definition than the approved one. */
function afterRejection(
  { type, digest: rejected, approved }: McpCapabilityEntity,
  digest: string,
  computed: McpCapabilityEntity['state'],
): McpCapabilityEntity['state'] {
  if (digest === rejected) return 'rejected';
  if (computed !== 'approved') return computed;
  if (approved === null) return 'pending';
  return capabilityDigest(type, approved) === digest ? 'approved' : 'changed';
}
