import { HOUR_MS, DAY_MS } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { LedgerAmount, LedgerRow } from './ledger.queries';

/** Retention of the hours: twice as long as forecasts look back. */
const RETENTION_MS = 14 * DAY_MS;

export interface BudgetHourRow extends LedgerRow {
  /** Start of the hour, Unix milliseconds. */
  readonly hour: number;
}

/** Returns the start of the hour that contains a time, in Unix milliseconds. */
export const hourOf = (time: Date | string): number =>
  Math.floor(new Date(time).getTime() / HOUR_MS) * HOUR_MS;

/**
 * Adds charges to the hours of budgets, in the transaction of the charges. `rows` must hold at most
 * one row for each organisation, account, hour and period. Rows are written in key order, so that
 * concurrent writers cannot deadlock.
 */
export async function addBudgetHours(manager: EntityManager, rows: readonly BudgetHourRow[]): Promise<void> {
  if (rows.length === 0) return;
  const orderOf = ({ organisationId, account, hour, period }: BudgetHourRow): string =>
    `${organisationId} ${account} ${String(hour)} ${String(period)}`;
  const sorted = [...rows].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  await manager.query(
    `INSERT INTO budget_hours AS stored (organisation_id, account, period, hour, cost, tokens, requests)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
     ON CONFLICT (organisation_id, account, hour, period) DO UPDATE SET
       cost = stored.cost + excluded.cost,
       tokens = stored.tokens + excluded.tokens,
       requests = stored.requests + excluded.requests`,
    [
      sorted.map(({ organisationId }) => organisationId),
      sorted.map(({ account }) => account),
      sorted.map(({ period }) => period),
      sorted.map(({ hour }) => hour),
      sorted.map(({ cost }) => cost),
      sorted.map(({ tokens }) => tokens),
      sorted.map(({ requests }) => requests),
    ],
  );
}

/** The sum of the recent charges to a budget. */
export interface RecentUse extends LedgerAmount {
  /**
   * Start of the first recorded hour of these periods, in Unix milliseconds, however old it is;
   * null when there is none.
   */
  readonly firstHour: number | null;
}

/**
 * Returns the charges from the hour of `fromMs` on, in the periods that begin at `since` or later;
 * one entry for each account, in the order of `accounts`.
 */
export async function recentUseOf(
  manager: EntityManager,
  organisationId: string,
  accounts: readonly { readonly account: string; readonly since: number }[],
  fromMs: number,
): Promise<RecentUse[]> {
  if (accounts.length === 0) return [];
  const rows: { first: string | null; cost: string; tokens: string; requests: string }[] =
    await manager.query(
      `SELECT uses.first, uses.cost, uses.tokens, uses.requests
     FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS wanted (account, since, place)
     CROSS JOIN LATERAL (
       SELECT min(hour) AS first, coalesce(sum(cost) FILTER (WHERE hour >= $4), 0) AS cost,
         coalesce(sum(tokens) FILTER (WHERE hour >= $4), 0) AS tokens,
         coalesce(sum(requests) FILTER (WHERE hour >= $4), 0) AS requests
       FROM budget_hours AS stored
       WHERE stored.organisation_id = $1 AND stored.account = wanted.account AND stored.period >= wanted.since
     ) AS uses
     ORDER BY wanted.place`,
      [
        organisationId,
        accounts.map(({ account }) => account),
        accounts.map(({ since }) => since),
        hourOf(new Date(fromMs)),
      ],
    );
  return rows.map(({ first, cost, tokens, requests }) => ({
    firstHour: first === null ? null : Number(first),
    cost: Number(cost),
    tokens: Number(tokens),
    requests: Number(requests),
  }));
}

/** Deletes hours older than 14 days. */
export async function dropOldBudgetHours(manager: EntityManager, nowMs: number): Promise<void> {
  await manager.query('DELETE FROM budget_hours WHERE hour < $1', [nowMs - RETENTION_MS]);
}
