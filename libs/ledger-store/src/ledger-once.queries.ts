import type { ChargeRecord } from '@gw/contracts';
import { storableJson } from '@gw/entities';
import type { EntityManager } from 'typeorm';

/** Charge of a record under a name. It is corrected when the name's true use is known. */
export interface OnceEstimate {
  /** Time of the log. */
  readonly createdAt: string;
  readonly charge: ChargeRecord;
}

export interface OnceClaim {
  readonly organisationId: string;
  /** Name of the charged resource. */
  readonly name: string;
  readonly logId: string;
  /** All that the record says of it, 1e-8 USD; null: it has no price. */
  readonly cost: number | null;
  readonly tokens: number;
  /** Null: what was truly used. */
  readonly estimate: OnceEstimate | null;
}

/** Charge of a record under a name, or the refund of an estimate. */
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
  /** In the order of the claims. */
  readonly held: readonly OncePart[];
  readonly givenBack: readonly RevertedEstimate[];
}

interface OnceRow {
  readonly organisation_id: string;
  readonly name: string;
  readonly log_id: string;
  /** Null: all that there is to charge. */
  readonly cost: string | null;
  readonly tokens: string | null;
  readonly estimate: OnceEstimate | null;
  readonly priced: boolean;
}

/**
 * Time after which a name that no record uses is deleted; a later record is charged again. Providers
 * keep responses and the outputs of batches for a month, and batches for longer. Reading a name
 * extends its time.
 */
const KEPT = `interval '400 days'`;
/** How often a name that is read again and again is noted as read. */
const NOTED_AFTER = `interval '30 days'`;
/** Rows that one statement removes. */
const FORGOTTEN_AT_ONCE = 20_000;

const REQUESTED = `unnest($1::uuid[], $2::text[]) AS wanted (organisation_id, name)`;

/**
 * The part of each claim that its record charges: what it says beyond what others have charged of the same name. Estimates of a name
 * charge together the most that any of them says. The first claim of what was truly used gives all of that back, and from then on
 * true claims charge together the most that any of them says, and estimates nothing; so the sum is the same in whatever order they come.
 * A claim without a price settles tokens alone. A record that comes again has the part that it had. Names must be well-formed texts
 * without NUL.
 */
export async function claimOnce(manager: EntityManager, claims: readonly OnceClaim[]): Promise<OnceParts> {
  if (claims.length === 0) return { held: [], givenBack: [] };
  const names = [claims.map(({ organisationId }) => organisationId), claims.map(({ name }) => name)];
  // Those who claim the same name wait for each other until they commit, all in one order.
  await manager.query(
    `SELECT pg_advisory_xact_lock(lock) FROM (
       SELECT DISTINCT hashtextextended(organisation_id::text || ' ' || name, 0) AS lock FROM ${REQUESTED} ORDER BY lock
     ) AS locks`,
    names,
  );
  await manager.query(
    `UPDATE ledger_once AS known SET named_at = now() FROM (SELECT DISTINCT * FROM ${REQUESTED}) AS wanted
     WHERE known.organisation_id = wanted.organisation_id AND known.name = wanted.name
       AND known.named_at < now() - ${NOTED_AFTER}`,
    names,
  );
  const rows: OnceRow[] = await manager.query(
    `SELECT DISTINCT known.organisation_id, known.name, known.log_id, known.cost, known.tokens, known.estimate, known.priced
     FROM ${REQUESTED} JOIN ledger_once AS known USING (organisation_id, name)`,
    names,
  );
  const parts = new Parts(rows);
  const held = claims.map((claim) => parts.take(claim));
  await store(manager, parts.changed());
  return { held, givenBack: parts.givenBack };
}

/** Forgets names that no record has named for 400 days. Returns how many rows that were. Safe to run twice, and while names are claimed. */
export async function forgetOnce(manager: EntityManager, atOnce = FORGOTTEN_AT_ONCE): Promise<number> {
  let forgotten = 0;
  for (let removed = atOnce; removed === atOnce; forgotten += removed) {
    [, removed] = await manager.query<[unknown, number]>(
      `DELETE FROM ledger_once WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM ledger_once WHERE named_at < now() - ${KEPT} LIMIT $1))`,
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

/** A row as it is, or will be. */
interface Part extends OncePart {
  cost: number;
  tokens: number;
  readonly estimate: OnceEstimate | null;
  readonly priced: boolean;
  isChanged: boolean;
}

const MEASURES = ['cost', 'tokens'] as const;
type Measure = (typeof MEASURES)[number];

/** Charged parts by name. */
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

  take(claim: OnceClaim): OncePart {
    const { organisationId, name, logId, estimate, cost, tokens } = claim;
    const parts = this.partsOf(claim);
    const own = parts.get(logId);
    if (own !== undefined) {
      const orAll = (held: number, all: number): number => (held === Infinity ? all : held);
      return { ...own, cost: orAll(own.cost, cost ?? 0), tokens: orAll(own.tokens, tokens) };
    }
    const others = [...parts.values()];
    const isNews =
      estimate === null && !others.some((each) => isTrue(each, cost === null ? 'tokens' : 'cost'));
    if (estimate === null) this.settle(others, cost === null ? ['tokens'] : MEASURES);
    const restOf = (measure: Measure): number => {
      if (estimate !== null && others.some((each) => isTrue(each, measure))) return 0;
      const charged = others.reduce((sum, each) => sum + each[measure], 0);
      return Math.max(0, (claim[measure] ?? 0) - charged);
    };
    const part = {
      ...{ organisationId, name, logId, estimate, priced: cost !== null },
      ...{ cost: restOf('cost'), tokens: restOf('tokens'), isChanged: true },
    };
    if (isNews || part.cost > 0 || part.tokens > 0) parts.set(logId, part);
    return { organisationId, name, logId, cost: part.cost, tokens: part.tokens };
  }

  changed(): Part[] {
    return [...this.byName.values()].flatMap((parts) =>
      [...parts.values()].filter(({ isChanged }) => isChanged),
    );
  }

  /** Gives back what was estimated. */
  private settle(parts: readonly Part[], measures: readonly Measure[]): void {
    for (const part of parts) {
      const { organisationId, name, logId, estimate } = part;
      if (estimate === null) continue;
      const less = { cost: 0, tokens: 0 };
      for (const measure of measures) {
        less[measure] = part[measure];
        part[measure] = 0;
      }
      if (less.cost === 0 && less.tokens === 0) continue;
      part.isChanged = true;
      this.givenBack.push({ organisationId, name, logId, estimate, ...less });
    }
  }

  private partsOf({ organisationId, name }: Pick<OncePart, 'organisationId' | 'name'>): Map<string, Part> {
    const place = `${organisationId} ${name}`;
    const known = this.byName.get(place) ?? new Map<string, Part>();
    this.byName.set(place, known);
    return known;
  }
}

/** Whether a part says what was truly used. */
const isTrue = ({ estimate, priced }: Part, measure: Measure): boolean =>
  estimate === null && (measure === 'tokens' || priced);

const amountOf = (stored: string | null): number => (stored === null ? Infinity : Number(stored));
