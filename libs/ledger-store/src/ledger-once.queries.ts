import type { ChargeRecord } from '@gw/contracts';
import { storableJson } from '@gw/kernel';
import type { EntityManager } from 'typeorm';

/** An estimated charge of a record under a name. It is reverted when the true use is stored. */
export interface OnceEstimate {
  /** Time of the log. */
  readonly createdAt: string;
  readonly charge: ChargeRecord;
}

/** The usage that one record reports of a resource. */
export interface OnceClaim {
  readonly organisationId: string;
  /** Name of the charged resource. */
  readonly name: string;
  readonly logId: string;
  /** Cost of the resource according to the record, in 1e-8 USD; null if it has no price. */
  readonly cost: number | null;
  readonly tokens: number;
  /** The estimated charge; null if the claim states the true use. */
  readonly estimate: OnceEstimate | null;
}

/** The charge of one record under a name, or the refund of an estimate. */
export interface OncePart {
  readonly organisationId: string;
  readonly name: string;
  readonly logId: string;
  readonly cost: number;
  readonly tokens: number;
}

export interface RevertedEstimate extends OncePart {
  readonly estimate: OnceEstimate;
}

export interface OnceParts {
  /** The charged part of each claim, in the order of the claims; 0 if others charge all of it. */
  readonly held: readonly OncePart[];
  /** Estimates that true claims have reverted, with the refunds as positive amounts. */
  readonly givenBack: readonly RevertedEstimate[];
}

interface OnceRow {
  readonly organisation_id: string;
  readonly name: string;
  readonly log_id: string;
  /** Null: the record is charged its whole use (rows of older releases). */
  readonly cost: string | null;
  readonly tokens: string | null;
  readonly estimate: OnceEstimate | null;
  readonly priced: boolean;
}

/**
 * Time after which a row of an unused name is deleted; a later record of the name is charged again.
 * Providers keep responses and outputs of batches for a month, and batches for longer. A use
 * extends the time if it was last extended more than `TOUCHED_AFTER` ago.
 */
const RETENTION = `interval '400 days'`;
/**
 * Minimum time between two updates of a row's last use. So a row may be deleted this much earlier
 * than `RETENTION` after the last use.
 */
const TOUCHED_AFTER = `interval '30 days'`;
/** Default maximum number of rows that one statement deletes. */
const DELETED_AT_ONCE = 20_000;

const REQUESTED = `unnest($1::uuid[], $2::text[]) AS wanted (organisation_id, name)`;

/**
 * Computes how much of each claim its record is charged, when several records report the same
 * resource. Estimates of a name together charge the highest of them. The first claim of the true
 * use reverts them; from then on true claims together charge the highest of them, and estimates
 * charge nothing. So the total does not depend on the order of arrival. All this holds for cost and
 * tokens separately; a claim without a price settles only tokens. A repeated record gets the same
 * part again, or what is left of it if it was an estimate that has been reverted. Names must be
 * well-formed strings without NUL. Call it in a transaction, which holds the locks of the names
 * until it ends.
 */
export async function claimOnce(manager: EntityManager, claims: readonly OnceClaim[]): Promise<OnceParts> {
  if (claims.length === 0) return { held: [], givenBack: [] };
  const names = [claims.map(({ organisationId }) => organisationId), claims.map(({ name }) => name)];
  // Transactions that claim the same name wait for each other's commit. They lock names in one
  // order, so that they cannot deadlock.
  await manager.query(
    `SELECT pg_advisory_xact_lock(lock) FROM (
       SELECT DISTINCT hashtextextended(organisation_id::text || ' ' || name, 0) AS lock FROM ${REQUESTED} ORDER BY lock
     ) AS locks`,
    names,
  );
  await manager.query(
    `UPDATE ledger_once AS stored SET named_at = now() FROM (SELECT DISTINCT * FROM ${REQUESTED}) AS wanted
     WHERE stored.organisation_id = wanted.organisation_id AND stored.name = wanted.name
       AND stored.named_at < now() - ${TOUCHED_AFTER}`,
    names,
  );
  const rows: OnceRow[] = await manager.query(
    `SELECT DISTINCT stored.organisation_id, stored.name, stored.log_id, stored.cost, stored.tokens, stored.estimate, stored.priced
     FROM ${REQUESTED} JOIN ledger_once AS stored USING (organisation_id, name)`,
    names,
  );
  const parts = new Parts(rows);
  const held = claims.map((claim) => parts.take(claim));
  await store(manager, parts.changed());
  return { held, givenBack: parts.givenBack };
}

/**
 * Deletes the rows of names that no record has used for 400 days (at the earliest 370, see
 * `TOUCHED_AFTER`) and returns their number. Each statement deletes at most `atOnce` rows. Can be
 * run repeatedly, and while names are claimed.
 */
export async function forgetOnce(manager: EntityManager, atOnce = DELETED_AT_ONCE): Promise<number> {
  let forgotten = 0;
  for (let removed = atOnce; removed === atOnce; forgotten += removed) {
    [, removed] = await manager.query<[unknown, number]>(
      `DELETE FROM ledger_once WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM ledger_once WHERE named_at < now() - ${RETENTION} LIMIT $1))
       AND named_at < now() - ${RETENTION}`,
      [atOnce],
    );
  }
  return forgotten;
}

async function store(manager: EntityManager, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return;
  await manager.query(
    `INSERT INTO ledger_once (organisation_id, name, log_id, cost, tokens, estimate, priced)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::bigint[], $5::bigint[], $6::jsonb[], $7::boolean[])
     ON CONFLICT (organisation_id, name, log_id) DO UPDATE SET cost = excluded.cost, tokens = excluded.tokens`,
    [
      parts.map(({ organisationId }) => organisationId),
      parts.map(({ name }) => name),
      parts.map(({ logId }) => logId),
      parts.map(({ cost }) => cost),
      parts.map(({ tokens }) => tokens),
      parts.map(({ estimate }) => estimate && storableJson(estimate)),
      parts.map(({ priced }) => priced),
    ],
  );
}

/** A stored row, or one that will be stored. */
interface Part extends OncePart {
  cost: number;
  tokens: number;
  readonly estimate: OnceEstimate | null;
  readonly priced: boolean;
  isChanged: boolean;
}

const MEASURES = ['cost', 'tokens'] as const;
type Measure = (typeof MEASURES)[number];

/** The charged parts of all names, updated by one claim after the other. */
class Parts {
  private readonly byName = new Map<string, Map<string, Part>>();
  readonly givenBack: RevertedEstimate[] = [];

  constructor(rows: readonly OnceRow[]) {
    for (const { organisation_id: organisationId, name, log_id: logId, ...row } of rows) {
      const amounts = { cost: amountOf(row.cost), tokens: amountOf(row.tokens) };
      const { estimate, priced } = row;
      const part = { organisationId, name, logId, ...amounts, estimate, priced, isChanged: false };
      this.partsOf(part).set(logId, part);
    }
  }

  /** Returns the part that the claim is charged, and reverts the estimates that it replaces. */
  take(claim: OnceClaim): OncePart {
    const { organisationId, name, logId, estimate, cost, tokens } = claim;
    const parts = this.partsOf(claim);
    const existing = parts.get(logId);
    if (existing !== undefined) {
      const partOf = (charged: number, all: number): number => (charged === Infinity ? all : charged);
      return { ...existing, cost: partOf(existing.cost, cost ?? 0), tokens: partOf(existing.tokens, tokens) };
    }
    const others = [...parts.values()];
    const isFirstTrueClaim =
      estimate === null && !others.some((each) => statesTrueUse(each, cost === null ? 'tokens' : 'cost'));
    if (estimate === null) this.settle(others, cost === null ? ['tokens'] : MEASURES);
    const unchargedOf = (measure: Measure): number => {
      if (estimate !== null && others.some((each) => statesTrueUse(each, measure))) return 0;
      const charged = others.reduce((sum, each) => sum + each[measure], 0);
      return Math.max(0, (claim[measure] ?? 0) - charged);
    };
    const part = {
      ...{ organisationId, name, logId, estimate, priced: cost !== null },
      ...{ cost: unchargedOf('cost'), tokens: unchargedOf('tokens'), isChanged: true },
    };
    if (isFirstTrueClaim || part.cost > 0 || part.tokens > 0) parts.set(logId, part);
    return { organisationId, name, logId, cost: part.cost, tokens: part.tokens };
  }

  /** Returns the parts that must be stored. */
  changed(): Part[] {
    return [...this.byName.values()].flatMap((parts) =>
      [...parts.values()].filter(({ isChanged }) => isChanged),
    );
  }

  /** Reverts estimates for these measures and records the refunds. */
  private settle(parts: readonly Part[], measures: readonly Measure[]): void {
    for (const part of parts) {
      const { organisationId, name, logId, estimate } = part;
      if (estimate === null) continue;
      const refund = { cost: 0, tokens: 0 };
      for (const measure of measures) {
        refund[measure] = part[measure];
        part[measure] = 0;
      }
      if (refund.cost === 0 && refund.tokens === 0) continue;
      part.isChanged = true;
      this.givenBack.push({ organisationId, name, logId, estimate, ...refund });
    }
  }

  private partsOf({ organisationId, name }: Pick<OncePart, 'organisationId' | 'name'>): Map<string, Part> {
    const key = `${organisationId} ${name}`;
    const parts = this.byName.get(key) ?? new Map<string, Part>();
    this.byName.set(key, parts);
    return parts;
  }
}

/** Returns whether a part states the true use of a measure; without a price only of tokens. */
const statesTrueUse = ({ estimate, priced }: Part, measure: Measure): boolean =>
  estimate === null && (measure === 'tokens' || priced);

/** Returns the stored amount; Infinity if the record is charged its whole use. */
const amountOf = (stored: string | null): number => (stored === null ? Infinity : Number(stored));
