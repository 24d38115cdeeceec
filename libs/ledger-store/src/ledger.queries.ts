import type { EntityManager } from 'typeorm';

export interface LedgerAmount {
  /** 1e-8 USD. */
  readonly cost: number;
  readonly tokens: number;
  readonly requests: number;
}

export interface LedgerRow extends LedgerAmount {
  readonly organisationId: string;
  readonly account: string;
  /** Unix milliseconds. */
  readonly period: number;
}

export interface LedgerBalance extends LedgerAmount {
  readonly account: string;
}

/**
 * Adds to balances, in the transaction of the log records that the amounts are of. At most one row for an account and period. In one order,
 * so that two writers never wait for each other's rows.
 */
export async function addBalances(manager: EntityManager, rows: readonly LedgerRow[]): Promise<void> {
  if (rows.length === 0) return;
  const sorted = [...rows].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  await manager.query(
    `INSERT INTO ledger_balances AS known (organisation_id, account, period, cost, tokens, requests)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
     ON CONFLICT (organisation_id, account, period) DO UPDATE SET
       cost = known.cost + excluded.cost,
       tokens = known.tokens + excluded.tokens,
       requests = known.requests + excluded.requests`,
    [
      sorted.map(({ organisationId }) => organisationId),
      sorted.map(({ account }) => account),
      sorted.map(({ period }) => period),
      sorted.map(({ cost }) => cost),
      sorted.map(({ tokens }) => tokens),
      sorted.map(({ requests }) => requests),
    ],
  );
}

/** Returns the charges to accounts in the periods from `since` on; one balance for each account, in order. */
export async function balancesOf(
  manager: EntityManager,
  organisationId: string,
  requested: readonly { readonly account: string; readonly since: number }[],
): Promise<LedgerBalance[]> {
  if (requested.length === 0) return [];
  const rows: { account: string; cost: string; tokens: string; requests: string }[] = await manager.query(
    `SELECT wanted.account, coalesce(sum(known.cost), 0) AS cost, coalesce(sum(known.tokens), 0) AS tokens,
       coalesce(sum(known.requests), 0) AS requests
     FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS wanted (account, since, place)
     LEFT JOIN ledger_balances AS known
       ON known.organisation_id = $1 AND known.account = wanted.account AND known.period >= wanted.since
     GROUP BY wanted.place, wanted.account ORDER BY wanted.place`,
    [organisationId, requested.map(({ account }) => account), requested.map(({ since }) => since)],
  );
  return rows.map(({ account, cost, tokens, requests }) => ({
    account,
    cost: Number(cost),
    tokens: Number(tokens),
    requests: Number(requests),
  }));
}

const orderOf = ({ organisationId, account, period }: LedgerRow): string =>
  `${organisationId} ${account} ${String(period)}`;
