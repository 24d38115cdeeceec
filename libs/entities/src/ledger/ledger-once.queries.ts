import type { EntityManager } from 'typeorm';

export interface OnceClaim {
  readonly organisationId: string;
  /** Of what is charged. */
  readonly name: string;
  readonly logId: string;
  /** All that the record says of it, 1e-8 USD. */
  readonly cost: number;
  readonly tokens: number;
}

interface OnceRow {
  readonly organisation_id: string;
  readonly name: string;
  readonly log_id: string;
  /** Null: all that there is to charge. */
  readonly cost: string | null;
  readonly tokens: string | null;
}

const ASKED = `unnest($1::uuid[], $2::text[]) AS asked (organisation_id, name)`;

/**
 * The part of each claim that its record charges, in the order of the claims: what it says beyond what others have charged of the same name,
 * so that together they charge the most that any of them says, in whatever order they come. A record that comes again has the part
 * that it had. Names must be well-formed texts without NUL.
 */
export async function claimOnce(
  manager: EntityManager,
  claims: readonly OnceClaim[],
): Promise<readonly OnceClaim[]> {
  if (claims.length === 0) return [];
  const names = [claims.map(({ organisationId }) => organisationId), claims.map(({ name }) => name)];
  // Those who claim the same name wait for each other until they commit, all in one order.
  await manager.query(
    `SELECT pg_advisory_xact_lock(lock) FROM (
       SELECT DISTINCT hashtextextended(organisation_id::text || ' ' || name, 0) AS lock FROM ${ASKED} ORDER BY lock
     ) AS locks`,
    names,
  );
  const rows: OnceRow[] = await manager.query(
    `SELECT DISTINCT known.organisation_id, known.name, known.log_id, known.cost, known.tokens
     FROM ${ASKED} JOIN ledger_once AS known USING (organisation_id, name)`,
    names,
  );
  const parts = new Parts(rows);
  const held = claims.map((claim) => parts.take(claim));
  await store(manager, parts.fresh);
  return held;
}

async function store(manager: EntityManager, claims: readonly OnceClaim[]): Promise<void> {
  if (claims.length === 0) return;
  await manager.query(
    `INSERT INTO ledger_once (organisation_id, name, log_id, cost, tokens)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::bigint[], $5::bigint[])`,
    [
      claims.map(({ organisationId }) => organisationId),
      claims.map(({ name }) => name),
      claims.map(({ logId }) => logId),
      claims.map(({ cost }) => cost),
      claims.map(({ tokens }) => tokens),
    ],
  );
}

/** What has been charged of each name. */
class Parts {
  private readonly known = new Map<string, OnceRow | OnceClaim>();
  private readonly charged = new Map<string, { cost: number; tokens: number }>();
  readonly fresh: OnceClaim[] = [];

  constructor(rows: readonly OnceRow[]) {
    for (const row of rows) {
      const name = `${row.organisation_id} ${row.name}`;
      this.known.set(`${row.log_id} ${name}`, row);
      this.add(name, row);
    }
  }

  take(claim: OnceClaim): OnceClaim {
    const name = `${claim.organisationId} ${claim.name}`;
    const place = `${claim.logId} ${name}`;
    const own = this.known.get(place);
    if (own !== undefined) {
      return {
        ...claim,
        cost: own.cost === null ? claim.cost : Number(own.cost),
        tokens: own.tokens === null ? claim.tokens : Number(own.tokens),
      };
    }
    const { cost = 0, tokens = 0 } = this.charged.get(name) ?? {};
    const part = {
      ...claim,
      cost: Math.max(0, claim.cost - cost),
      tokens: Math.max(0, claim.tokens - tokens),
    };
    this.known.set(place, part);
    this.add(name, part);
    if (part.cost > 0 || part.tokens > 0) this.fresh.push(part);
    return part;
  }

  private add(name: string, { cost, tokens }: Pick<OnceRow, 'cost' | 'tokens'> | OnceClaim): void {
    const before = this.charged.get(name) ?? { cost: 0, tokens: 0 };
    this.charged.set(name, {
      cost: before.cost + (cost === null ? Infinity : Number(cost)),
      tokens: before.tokens + (tokens === null ? Infinity : Number(tokens)),
    });
  }
}
