import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { UpstreamCapability, UpstreamIntegration } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import {
  approvalState,
  capabilityDigest,
  capabilityName,
  findingContext,
  findingsOf,
  type CapabilityType,
  type Finding,
  type FindingContext,
  type JsonObject,
} from '@gw/mcp';
import { isStorable } from '@gw/web';

/**
 * Bounds for the stored capabilities of one upstream. Characters are those of the definitions as
 * JSON.
 */
const BOUNDS = {
  capabilitiesMax: 5_000,
  nameLengthMax: 2_048,
  definitionCharactersMax: 262_144,
  charactersMax: 8_388_608,
} as const;

export interface ReadCapability {
  readonly type: CapabilityType;
  readonly name: string;
  readonly definition: JsonObject;
}

/** State of an upstream at one point in time. */
export interface UpstreamSnapshot {
  /** The upstream itself as a capability, so that a change of its texts needs the same approval. */
  readonly self: ReadCapability;
  /** Capabilities in the order of the upstream. */
  readonly capabilities: readonly ReadCapability[];
}

export const nameDigestOf = (name: string): string => createHash('sha256').update(name).digest('hex');

export const capabilityKey = (type: string, nameDigest: string): string => `${type}:${nameDigest}`;

export interface KeptCapabilities {
  readonly capabilities: readonly ReadCapability[];
  /** Whether the upstream lists more capabilities than are stored. */
  readonly isCut: boolean;
}

/**
 * Returns the capabilities to store: the first of each name, without those that Postgres cannot
 * store, within `BOUNDS`.
 */
export function keptCapabilities(
  listed: readonly (readonly [CapabilityType, readonly JsonObject[]])[],
): KeptCapabilities {
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

/** A capability whose definition differs from the approved one. */
export interface CapabilityChange {
  readonly type: string;
  readonly name: string;
  readonly digest: string;
  readonly state: string;
}

export interface SnapshotChanges<R extends UpstreamCapability> {
  /** New and changed rows, to be saved. */
  readonly rows: readonly R[];
  /** Approved capabilities whose definition has changed since the last snapshot. */
  readonly changed: readonly CapabilityChange[];
  /** Row of the upstream itself. */
  readonly self: R;
}

type Rules = Pick<UpstreamIntegration, 'id' | 'url' | 'approvalMode' | 'onChange' | 'lastSyncedAt'>;

export interface Comparison {
  /** Names of tools of other servers that callers see together with those of this one. */
  readonly otherNames: readonly string[];
  /**
   * Additional findings on the definitions that cannot be derived from the definitions themselves.
   */
  readonly findings?: readonly Finding[];
  readonly now: Date;
}

/** Number of characters of definitions after which other requests get a turn. */
const CHARACTERS_OF_A_TURN = 65_536;

/** Compares a snapshot with the saved rows of its integration, and returns the rows to save. */
export async function changesOf<R extends UpstreamCapability>(
  entity: new () => R,
  integration: Rules,
  saved: readonly R[],
  { self, capabilities }: UpstreamSnapshot,
  { otherNames, findings: more = [], now }: Comparison,
): Promise<SnapshotChanges<R>> {
  const savedByKey = new Map(saved.map((row) => [capabilityKey(row.type, row.nameDigest), row]));
  const context = findingContext({
    otherNames,
    ownNames: capabilities.map(({ name }) => name),
    serverHost: URL.canParse(integration.url) ? new URL(integration.url).host : null,
  });
  const rows: R[] = [];
  const changed: CapabilityChange[] = [];
  const apply = (read: ReadCapability, position: number): R => {
    const key = capabilityKey(read.type, nameDigestOf(read.name));
    const before = savedByKey.get(key) ?? null;
    savedByKey.delete(key);
    const row = updatedRow(entity, integration, before, { read, position, context, more, now });
    if (before === null || !isSameRow(before, row)) rows.push(row);
    if (before !== null && before.approved !== null && before.digest !== row.digest)
      changed.push({ type: row.type, name: row.name.slice(0, 255), digest: row.digest, state: row.state });
    return row;
  };
  const ownRow = apply(self, 0);
  let characters = 0;
  for (const [position, read] of capabilities.entries()) {
    apply(read, position);
    characters += JSON.stringify(read.definition).length;
    if (characters < CHARACTERS_OF_A_TURN) continue;
    characters = 0;
    await setImmediate();
  }
  for (const gone of savedByKey.values())
    if (gone.goneAt === null) rows.push(Object.assign(new entity(), gone, { goneAt: now }));
  return { rows, changed, self: ownRow };
}

const COMPARED = [
  ...(['position', 'definition', 'digest', 'approved', 'state', 'findings', 'goneAt'] as const),
] as const;

const isSameRow = (one: UpstreamCapability, other: UpstreamCapability): boolean =>
  COMPARED.every((member) => isDeepStrictEqual(one[member], other[member]));

interface Reading {
  readonly read: ReadCapability;
  readonly position: number;
  readonly context: FindingContext;
  readonly more: readonly Finding[];
  readonly now: Date;
}

/** Returns a copy of the row, or a new one, with the values of the snapshot. */
function updatedRow<R extends UpstreamCapability>(
  entity: new () => R,
  integration: Rules,
  before: R | null,
  { read: { type, name, definition }, position, context, more, now }: Reading,
): R {
  const digest = capabilityDigest(type, definition);
  const found = [...findingsOf(type, definition, context), ...more];
  const findings = found.map(({ rule, severity }) => ({ rule, severity }));
  const computed = approvalState({
    ...{ mode: integration.approvalMode, type, now: definition, findings, onChange: integration.onChange },
    approved: before?.approved ?? null,
    isFirstSnapshot: integration.lastSyncedAt === null,
  });
  const state = before && wasRejected(before) ? afterRejection(type, before, digest, computed) : computed;
  const isDecided = state === 'approved' && before?.digest !== digest;
  return Object.assign(new entity(), before ?? newRow(integration, type, name), {
    ...{ position, definition, digest, findings, state, goneAt: null },
    approved: state === 'approved' ? definition : stillApproved(type, before, state),
    ...(isDecided ? { decidedBy: null, decidedAt: now } : {}),
  });
}

const newRow = (
  { id: integrationId }: Rules,
  type: CapabilityType,
  name: string,
): Partial<UpstreamCapability> => ({
  ...{ id: uuidv7(), integrationId, type, name, nameDigest: nameDigestOf(name), enabled: true },
  ...{ decidedBy: null, decidedAt: null },
});

/**
 * Returns the definition that was approved earlier, unless it is the rejected one, as in rows of
 * earlier releases.
 */
function stillApproved(
  type: CapabilityType,
  before: UpstreamCapability | null,
  state: UpstreamCapability['state'],
): UpstreamCapability['approved'] {
  if (!before?.approved) return null;
  const isRejected = state === 'rejected' && capabilityDigest(type, before.approved) === before.digest;
  return isRejected ? null : before.approved;
}

/**
 * Whether a definition was rejected and none has been approved since. A pending definition with a
 * decision time followed a rejection.
 */
const wasRejected = ({ state, decidedAt }: UpstreamCapability): boolean =>
  state === 'rejected' || (state === 'pending' && decidedAt !== null);

/**
 * Returns the state after a rejection: only an administrator can approve a definition other than
 * the approved one.
 */
function afterRejection(
  type: CapabilityType,
  { state, digest: before, approved }: UpstreamCapability,
  digest: string,
  computed: UpstreamCapability['state'],
): UpstreamCapability['state'] {
  if (state === 'rejected' && digest === before) return 'rejected';
  if (computed !== 'approved') return computed;
  if (approved === null) return 'pending';
  return capabilityDigest(type, approved) === digest ? 'approved' : 'changed';
}
