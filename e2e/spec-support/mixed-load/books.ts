import { Client as Postgres } from 'pg';
import type { Sold } from './counting-provider';
import type { Call, ClientResult } from './mixed-load';

/** One record of the log in Postgres. */
export interface Logged {
  readonly trace: string;
  readonly keyId: string;
  readonly outcome: string;
  readonly cost: number;
  readonly tokens: number;
}

export interface Row {
  readonly seen: string;
  clients: number;
  /** Number of responses that the provider has sold for these calls. */
  sold: number;
  records: number;
  /** Sum of the records in 1e-8 USD. */
  charged: number;
}

export interface Comparison {
  readonly rows: readonly Row[];
  /**
   * Calls without a required record, surplus responses and records, and other differences; the
   * first of each.
   */
  readonly lost: readonly string[];
  readonly double: readonly string[];
  readonly different: readonly string[];
}

/** What the log contains for calls of each kind. */
const OUTCOMES: Readonly<Record<Exclude<ClientResult, 'cut'>, string>> = {
  whole: 'ok',
  free: 'ok',
  denied: 'denied',
  failed: 'provider_error',
  left: 'client_closed',
};

/** Returns every record of the keys with its charged tokens. */
export async function recordsOf(databaseUrl: string, keyIds: readonly string[]): Promise<Logged[]> {
  const postgres = new Postgres({ connectionString: databaseUrl });
  await postgres.connect();
  try {
    const { rows } = await postgres.query<Omit<Logged, 'cost' | 'tokens'> & { cost: string; tokens: string }>(
      `SELECT trace_id AS trace, api_key_id AS "keyId", outcome, coalesce(cost, 0) AS cost,
         (SELECT coalesce(sum((charge->>'tokens')::bigint), 0) FROM jsonb_array_elements(decision->'charges') charge) AS tokens
       FROM request_logs WHERE api_key_id = ANY($1)`,
      [keyIds],
    );
    return rows.map(({ cost, tokens, ...row }) => ({ ...row, cost: Number(cost), tokens: Number(tokens) }));
  } finally {
    await postgres.end();
  }
}

/** Compares each call: the client's result, the provider's sales and the log must agree. */
export function compare(
  calls: readonly Call[],
  sold: ReadonlyMap<string, Sold>,
  records: readonly Logged[],
): Comparison {
  const comparison = new LedgerTotals();
  const byTrace = grouped(records, ({ trace }) => trace);
  for (const call of calls) {
    comparison.addRecords(call, byTrace.get(call.trace) ?? []);
    byTrace.delete(call.trace);
  }
  for (const trace of byTrace.keys()) comparison.different.push(`${trace}: a record without a client call`);
  for (const [name, alike] of grouped(calls, (call) => call.name))
    comparison.addSold(name, alike, sold.get(name)?.whole ?? 0);
  const { rows, lost, double, different } = comparison;
  return { rows, lost, double, different };
}

class LedgerTotals implements Comparison {
  readonly lost: string[] = [];
  readonly double: string[] = [];
  readonly different: string[] = [];
  private readonly bySeen = new Map<ClientResult, Row>();

  get rows(): readonly Row[] {
    return [...this.bySeen.values()];
  }

  addRecords(call: Call, found: readonly Logged[]): void {
    const { trace, seen, kind } = call;
    const row = this.rowOf(seen);
    row.clients += 1;
    row.records += found.length;
    for (const { cost } of found) row.charged += cost;
    const what = `${trace} (${kind.name}, ${seen})`;
    if (found.length > 1) this.double.push(`${what}: ${String(found.length)} records`);
    if (seen === 'cut') return;
    const [record] = found;
    if (record === undefined) this.lost.push(`${what}: no record`);
    else if (!isAsExpected(call, seen, record)) this.different.push(`${what}: ${JSON.stringify(record)}`);
  }

  /** Adds the provider's sales. A call that was cut may have been sold once. */
  addSold(name: string, alike: readonly Call[], sold: number): void {
    const of = (seen: ClientResult): number => alike.filter((call) => call.seen === seen).length;
    const [whole, cut] = [of('whole'), of('cut')];
    if (whole > 0) this.rowOf('whole').sold += Math.min(sold, whole);
    if (sold > whole) this.rowOf('cut').sold += sold - whole;
    const what = `${name}: ${String(sold)} sold, ${String(whole)} answered`;
    if (sold < whole) this.lost.push(what);
    if (sold > whole + cut) this.double.push(what);
  }

  private rowOf(seen: ClientResult): Row {
    const row = this.bySeen.get(seen) ?? { seen, clients: 0, sold: 0, records: 0, charged: 0 };
    this.bySeen.set(seen, row);
    return row;
  }
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

function isAsExpected(
  { kind }: Call,
  seen: Exclude<ClientResult, 'cut'>,
  { outcome, cost }: Logged,
): boolean {
  if (outcome !== OUTCOMES[seen]) return false;
  // An abandoned response costs an estimate.
  if (seen === 'left') return cost > 0;
  return cost === (seen === 'whole' ? kind.cost : 0);
}
