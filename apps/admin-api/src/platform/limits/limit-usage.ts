import { usageLimitRules, type StoredUsageLimit } from '@gw/entities';
import { UNITS_PER_USD } from '@gw/kernel';
import { balancesOf, recentUseOf } from '@gw/ledger-store';
import {
  budgetAccount,
  budgetBucket,
  BURN_WINDOW_MS,
  burnRatePerDay,
  forecastExhaustion,
  nextBoundary,
  periodAt,
  type Bucket,
  type BucketOwner,
} from '@gw/limits';
import type { EntityManager } from 'typeorm';

/** Usage of a budget from the durable record; in USD for a cost budget. */
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

/** A budget as a GET response shows it. */
export type ShownUsageLimit = StoredUsageLimit & Partial<LimitUsage>;

/** The owner of the budgets in a response, as their counters name it. */
export interface LimitOwner {
  readonly organisationId: string;
  readonly scope: BucketOwner['scope'];
  readonly id: string;
  /** Workspace id; only set for an integration. */
  readonly group?: string;
  readonly lastResetAt: Date | null;
}

/**
 * Returns the responses of a page with the usage of their budgets. `owners` has one entry per
 * response, in order, all of one organisation. Runs two queries for any number of budgets, and none
 * when there are no budgets.
 */
export async function withUsage<
  Response extends { readonly usage_limits: ShownUsageLimit | readonly ShownUsageLimit[] | null },
>(
  manager: EntityManager,
  responses: readonly Response[],
  owners: readonly LimitOwner[],
): Promise<Response[]> {
  const buckets = responses.map(({ usage_limits: limits }, at) => bucketsOf(limits, owners[at]));
  const all = buckets.flat();
  const [first] = all;
  if (first === undefined) return [...responses];
  const usage = await usageOf(manager, first.tenant, all);
  let next = 0;
  return responses.map((response, at) => {
    if (buckets[at]?.length === 0) return response;
    const shown = [response.usage_limits ?? []].flat().map((limit) => ({ ...limit, ...usage[next++] }));
    return { ...response, usage_limits: Array.isArray(response.usage_limits) ? shown : (shown[0] ?? null) };
  });
}

const bucketsOf = (
  limits: StoredUsageLimit | readonly StoredUsageLimit[] | null,
  owner: LimitOwner | undefined,
): Bucket[] => {
  if (owner === undefined) return [];
  const { organisationId: tenant, scope, id, group, lastResetAt } = owner;
  const named = { tenant, scope, id, ...(group === undefined ? {} : { group }) };
  return usageLimitRules(limits, lastResetAt).map((rule) => budgetBucket(named, rule));
};

/** Returns the usage of each bucket, in order. All buckets must belong to one organisation. */
export async function usageOf(
  manager: EntityManager,
  organisationId: string,
  buckets: readonly Bucket[],
  nowMs = Date.now(),
): Promise<LimitUsage[]> {
  const requested = buckets.map((bucket) => ({
    account: budgetAccount(bucket.key),
    since: periodAt(bucket, nowMs),
  }));
  const balances = await balancesOf(manager, organisationId, requested);
  const recent = await recentUseOf(manager, organisationId, requested, nowMs - BURN_WINDOW_MS);
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
