import { balancesOf, recentUseOf } from '@gw/entities';
import {
  budgetAccount,
  BURN_WINDOW_MS,
  burnRatePerDay,
  forecastExhaustion,
  nextBoundary,
  periodAt,
  type Bucket,
} from '@gw/limits';
import type { EntityManager } from 'typeorm';

const UNITS_PER_USD = 100_000_000;

/** How far a budget is used, by the durable record; USD for cost. */
export interface LimitUsage {
  readonly current_usage: number;
  readonly burn_rate_per_day: number | null;
  readonly forecast_exhausted_at: string | null;
}

export const UNUSED: LimitUsage = {
  current_usage: 0,
  burn_rate_per_day: null,
  forecast_exhausted_at: null,
};

/** One for each bucket, in order; all of budgets of one organisation. */
export async function usageOf(
  manager: EntityManager,
  organisationId: string,
  buckets: readonly Bucket[],
  nowMs = Date.now(),
): Promise<LimitUsage[]> {
  const asked = buckets.map((bucket) => ({
    account: budgetAccount(bucket.key),
    since: periodAt(bucket, nowMs),
  }));
  const balances = await balancesOf(manager, organisationId, asked);
  const recent = await recentUseOf(manager, organisationId, asked, nowMs - BURN_WINDOW_MS);
  return buckets.map((bucket, at) => {
    const { measure, value, window } = bucket;
    const [balance, burnt] = [balances[at], recent[at]];
    if (measure === 'concurrency' || balance === undefined || burnt === undefined) return UNUSED;
    const used = Math.max(0, balance[measure]);
    const perDay = burnRatePerDay({ amount: burnt[measure], firstHourMs: burnt.firstHour }, nowMs);
    const resetAtMs = window.kind === 'period' ? nextBoundary(window.schedule, nowMs) : null;
    const endsAt = forecastExhaustion({ used, limit: value, perDay, resetAtMs }, nowMs);
    return {
      current_usage: inPublic(measure, used),
      burn_rate_per_day: perDay === null ? null : inPublic(measure, Math.round(perDay)),
      forecast_exhausted_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    };
  });
}

const inPublic = (measure: Bucket['measure'], units: number): number =>
  measure === 'cost' ? units / UNITS_PER_USD : units;
