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
  /** Start of the period, Unix milliseconds. */
  readonly period: number;
}

export interface LedgerBalance extends LedgerAmount {
  readonly account: string;
}

/**
 * Adds charges to balances, in the transaction of their log records. `rows` must hold at most one
 * row for each organisation, account and period. Rows are written in key order, so that concurrent
 * writers cannot deadlock.
 */
export async function addBalances(manager: EntityManager, rows: readonly LedgerRow[]): Promise<void> {
  if (rows.length === 0) return;
  const sorted = [...rows].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  await manager.query(
    `INSERT INTO ledger_balances AS stored (organisation_id, account, period, cost, tokens, requests)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
     ON CONFLICT (organisation_id, account, period) DO UPDATE SET
       cost = stored.cost + excluded.cost,
       tokens = stored.tokens + excluded.tokens,
       requests = stored.requests + excluded.requests`,
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

/**
 * Returns the balances of accounts in the periods that begin at `since` or later; one for each
 * account, in the order of `accounts`.
 */
export async function balancesOf(
  manager: EntityManager,
  organisationId: string,
  accounts: readonly { readonly account: string; readonly since: number }[],
): Promise<LedgerBalance[]> {
  if (accounts.length === 0) return [];
  const rows: { account: string; cost: string; tokens: string; requests: string }[] = await manager.query(
    `SELECT wanted.account, coalesce(sum(stored.cost), 0) AS cost, coalesce(sum(stored.tokens), 0) AS tokens,
       coalesce(sum(stored.requests), 0) AS requests
     FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS wanted (account, since, place)
     LEFT JOIN ledger_balances AS stored
       ON stored.organisation_id = $1 AND stored.account = wanted.account AND stored.period >= wanted.since
     GROUP BY wanted.place, wanted.account ORDER BY wanted.place`,
    [organisationId, accounts.map(({ account }) => account), accounts.map(({ since }) => since)],
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
