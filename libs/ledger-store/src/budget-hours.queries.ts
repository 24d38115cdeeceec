import { HOUR_MS, DAY_MS } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import type { LedgerAmount, LedgerRow } from './ledger.queries';

/** Twice as long as forecasts look back. */
const KEPT_MS = 14 * DAY_MS;

export interface BudgetHourRow extends LedgerRow {
  /** Unix milliseconds: when the hour began. */
  readonly hour: number;
}

/** The hour that a time lies in. */
export const hourOf = (time: Date | string): number =>
  Math.floor(new Date(time).getTime() / HOUR_MS) * HOUR_MS;

/** Adds to the hours of budgets, in the transaction of their charges. In one order, so that two writers never wait for each other's rows. */
export async function addBudgetHours(manager: EntityManager, rows: readonly BudgetHourRow[]): Promise<void> {
  if (rows.length === 0) return;
  const orderOf = ({ organisationId, account, hour, period }: BudgetHourRow): string =>
    `${organisationId} ${account} ${String(hour)} ${String(period)}`;
  const sorted = [...rows].sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  await manager.query(
    `INSERT INTO budget_hours AS known (organisation_id, account, period, hour, cost, tokens, requests)
     SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
     ON CONFLICT (organisation_id, account, hour, period) DO UPDATE SET
       cost = known.cost + excluded.cost,
       tokens = known.tokens + excluded.tokens,
       requests = known.requests + excluded.requests`,
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

/** Recent charges to a budget. */
export interface RecentUse extends LedgerAmount {
  /** Unix milliseconds: the first hour that is known of, however far back; null: none is. */
  readonly firstHour: number | null;
}

/**
 * Returns the charges to accounts from the hour of `fromMs` on, in the periods from `since` on; one
 * entry for each account, in order.
 */
export async function recentUseOf(
  manager: EntityManager,
  organisationId: string,
  requested: readonly { readonly account: string; readonly since: number }[],
  fromMs: number,
): Promise<RecentUse[]> {
  if (requested.length === 0) return [];
  const rows: { first: string | null; cost: string; tokens: string; requests: string }[] =
    await manager.query(
      `SELECT uses.first, uses.cost, uses.tokens, uses.requests
     FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS wanted (account, since, place)
     CROSS JOIN LATERAL (
       SELECT min(hour) AS first, coalesce(sum(cost) FILTER (WHERE hour >= $4), 0) AS cost,
         coalesce(sum(tokens) FILTER (WHERE hour >= $4), 0) AS tokens,
         coalesce(sum(requests) FILTER (WHERE hour >= $4), 0) AS requests
       FROM budget_hours AS known
       WHERE known.organisation_id = $1 AND known.account = wanted.account AND known.period >= wanted.since
     ) AS uses
     ORDER BY wanted.place`,
      [
        organisationId,
        requested.map(({ account }) => account),
        requested.map(({ since }) => since),
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

export async function dropOldBudgetHours(manager: EntityManager, nowMs: number): Promise<void> {
  await manager.query('DELETE FROM budget_hours WHERE hour < $1', [nowMs - KEPT_MS]);
}
