import type { UsageLimitRule } from '@gw/contracts';

/** A budget as it is stored: the public snake_case shape, so that an answer needs no second mapping. */
export interface StoredUsageLimit {
  readonly type: UsageLimitRule['type'];
  /** USD for cost, a count otherwise. */
  readonly credit_limit: number;
  readonly alert_threshold: number | null;
  readonly periodic_reset: UsageLimitRule['periodicReset'];
  /** 1 to 365. */
  readonly periodic_reset_days: number | null;
  /** ISO 8601, midnight UTC; null: the budget never resets. */
  readonly next_usage_reset_at: string | null;
  readonly status: UsageLimitRule['status'];
  readonly metadata?: Readonly<Record<string, string>> | null;
}

/** The rule as the ledger reads it. `lastResetAt`: of the limit's owner. */
export const usageLimitRule = (limit: StoredUsageLimit, lastResetAt: Date | null): UsageLimitRule => ({
  type: limit.type,
  creditLimit: limit.credit_limit,
  alertThreshold: limit.alert_threshold,
  periodicReset: limit.periodic_reset,
  periodicResetDays: limit.periodic_reset_days,
  nextResetAt: limit.next_usage_reset_at,
  status: limit.status,
  ...(lastResetAt === null ? {} : { lastResetAt: lastResetAt.toISOString() }),
});

export const usageLimitRules = (
  stored: StoredUsageLimit | readonly StoredUsageLimit[] | null,
  lastResetAt: Date | null,
): readonly UsageLimitRule[] => [stored ?? []].flat().map((limit) => usageLimitRule(limit, lastResetAt));
