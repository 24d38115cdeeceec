import { createHash } from 'node:crypto';
import { ONCE_MAX, type ChargeRecord } from '@gw/contracts';
import { isStorableText } from '@gw/kernel';
import { claimOnce, type RevertedEstimate, type OnceClaim, type OncePart } from '@gw/ledger-store';
import type { LogEntry } from '@gw/log-store';
import type { EntityManager } from 'typeorm';

const NAME_LENGTH_MAX = 512;
/** Unit of the price line of a part of named usage, whose kinds of tokens are not known. */
export const REST_UNIT = 'rest';

/**
 * The result of charging by name. A name identifies an object, such as a batch, that several
 * records report.
 */
export interface NamedCharges {
  /**
   * The records as they are stored: each is charged what it reports beyond the charges of other
   * records with the same name.
   */
  readonly entries: readonly LogEntry[];
  /**
   * Estimates that a reported usage replaces; their records are in this batch or stored already.
   */
  readonly givenBack: readonly RevertedEstimate[];
  /** Usage that gateways counted and that no record charges. */
  readonly uncharged: readonly Uncharged[];
}

/** Usage of one log record that a gateway counted and the record does not charge. */
export interface Uncharged {
  readonly logId: string;
  readonly organisationId: string;
  readonly charge: ChargeRecord;
}

/**
 * Charges each named object once, although several records report its usage. A record is charged
 * what it reports beyond the charges of other records with the same name.
 */
export async function chargeByName(
  manager: EntityManager,
  entries: readonly LogEntry[],
): Promise<NamedCharges> {
  const claims = entries.flatMap(claimsOf);
  if (claims.length === 0) return { entries, givenBack: [], uncharged: [] };
  const { held: parts, givenBack } = await claimOnce(manager, claims);
  const held = new Map(parts.map((part) => [keyOf(part), part]));
  const stored = entries.map((entry) => {
    const entryClaims = claimsOf(entry);
    return entryClaims.length === 0 ? entry : reduced(entry, entryClaims, held);
  });
  return { entries: stored, givenBack, uncharged: entries.flatMap((entry) => unchargedOf(entry, held)) };
}

/** Returns one claim for each name in the charges of a record. */
function claimsOf({ row }: LogEntry): OnceClaim[] {
  const { organisation_id: organisationId, created_at: createdAt, id: logId } = row;
  if (organisationId === null) return [];
  const claims = new Map<string, OnceClaim>();
  for (const [name, charge] of namedCharges(row)) {
    if (claims.has(name) || claims.size >= ONCE_MAX) continue;
    const { cost, tokens, flags } = charge as Partial<ChargeRecord>;
    const isEstimate = Array.isArray(flags) && flags.includes('estimated');
    claims.set(name, {
      ...{ organisationId, name, logId },
      cost: cost === null ? null : countOf(cost),
      tokens: countOf(tokens),
      estimate: isEstimate ? { createdAt, charge } : null,
    });
  }
  return [...claims.values()];
}

function namedCharges({ decision }: LogEntry['row']): (readonly [name: string, charge: ChargeRecord])[] {
  const charges: unknown = decision.charges;
  if (!Array.isArray(charges)) return [];
  return (charges as readonly unknown[]).flatMap((charge) => {
    const name = onceOf(charge);
    return name === null ? [] : [[name, charge as ChargeRecord] as const];
  });
}

/**
 * Returns the usage that the gateway counted beyond the charges of the record. A GET creates
 * nothing, so the gateway counts nothing for it.
 */
function unchargedOf({ row }: LogEntry, held: ReadonlyMap<string, OncePart>): Uncharged[] {
  const { organisation_id: organisationId, id: logId } = row;
  if (row.method === 'GET' || organisationId === null) return [];
  return namedCharges(row).flatMap(([name, charge]) => {
    const part = held.get(keyOf({ organisationId, name, logId }));
    const cost = countOf(charge.cost) - (part?.cost ?? 0);
    const tokens = countOf(charge.tokens) - (part?.tokens ?? 0);
    if (cost === 0 && tokens === 0) return [];
    return [{ logId, organisationId, charge: { ...charge, cost, tokens, requests: 0 as const } }];
  });
}

function onceOf(charge: unknown): string | null {
  if (typeof charge !== 'object' || charge === null) return null;
  const { once } = charge as { once?: unknown };
  return typeof once === 'string' && once.length <= NAME_LENGTH_MAX ? storable(once) : null;
}

/** Replaces a name by its hash if Postgres cannot store it, so that names stay distinct. */
const storable = (name: string): string =>
  isStorableText(name) ? name : `sha256 ${createHash('sha256').update(name, 'utf16le').digest('hex')}`;

const countOf = (value: unknown): number =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;

/** Returns the entry without the usage that other records with the same names have charged. */
function reduced(
  entry: LogEntry,
  claims: readonly OnceClaim[],
  held: ReadonlyMap<string, OncePart>,
): LogEntry {
  const { row } = entry;
  const partOf = (claim: OnceClaim): OncePart => held.get(keyOf(claim)) ?? { ...claim, cost: 0, tokens: 0 };
  const lessCost = claims.reduce((sum, claim) => sum + (claim.cost ?? 0) - partOf(claim).cost, 0);
  const lessTokens = claims.reduce((sum, claim) => sum + claim.tokens - partOf(claim).tokens, 0);
  const names = new Map(claims.map((claim) => [claim.name, partOf(claim)]));
  const charges = (row.decision.charges as readonly ChargeRecord[]).flatMap((charge) => {
    const name = onceOf(charge);
    if (name === null) return [charge];
    const part = names.get(name);
    names.delete(name);
    if (part === undefined || (part.cost === 0 && part.tokens === 0)) return [];
    return [{ ...charge, cost: charge.cost === null ? null : part.cost, tokens: part.tokens }];
  });
  if (lessCost === 0 && lessTokens === 0)
    return { ...entry, row: { ...row, decision: { ...row.decision, charges } } };
  return {
    ...entry,
    row: {
      ...row,
      ...reducedTokens(row, lessTokens),
      cost: row.cost === null ? null : Math.max(0, row.cost - lessCost),
      decision: {
        ...row.decision,
        price: charges.length === 0 ? null : restPrice(row, claims, partOf),
        charges,
      },
    },
  };
}

/** Returns the price with one line: the part of the named usage that this record is charged. */
function restPrice(
  { decision }: LogEntry['row'],
  claims: readonly OnceClaim[],
  partOf: (claim: OnceClaim) => OncePart,
): LogEntry['row']['decision']['price'] {
  const { price } = decision;
  if (!price) return null;
  const cost = claims.reduce((sum, claim) => sum + partOf(claim).cost, 0);
  const quantity = claims.reduce((sum, claim) => sum + partOf(claim).tokens, 0);
  return { ...price, lines: [{ unit: REST_UNIT, quantity, pricePerMillion: 0, cost }] };
}

/**
 * Returns the token counts of the row reduced by `less` tokens, output first. No count is negative,
 * and no detail exceeds the total of its kind.
 */
function reducedTokens(row: LogEntry['row'], less: number): Partial<LogEntry['row']> {
  // An estimate has no token details.
  if (row.input_tokens === null && row.output_tokens === null) return {};
  const [input, output] = [row.input_tokens ?? 0, row.output_tokens ?? 0];
  const outputLeft = Math.max(0, output - less);
  const inputLeft = Math.max(0, input - Math.max(0, less - output));
  return {
    input_tokens: inputLeft,
    output_tokens: outputLeft,
    total_tokens: inputLeft + outputLeft,
    cache_read_tokens: Math.min(row.cache_read_tokens ?? 0, inputLeft),
    cache_write_tokens: Math.min(row.cache_write_tokens ?? 0, inputLeft),
    reasoning_tokens: Math.min(row.reasoning_tokens ?? 0, outputLeft),
    input_audio_tokens: Math.min(row.input_audio_tokens ?? 0, inputLeft),
    output_audio_tokens: Math.min(row.output_audio_tokens ?? 0, outputLeft),
  };
}

const keyOf = ({
  organisationId,
  name,
  logId,
}: Pick<OncePart, 'organisationId' | 'name' | 'logId'>): string => `${organisationId} ${name} ${logId}`;
