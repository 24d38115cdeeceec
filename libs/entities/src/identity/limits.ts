import type { Enforcement, OutageMode, RateLimitRule, UsageLimitRule } from '@gw/contracts';

/**
 * A budget as it is stored: the public snake_case shape, so that an answer needs no second mapping.
 */
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
  /** Absent: `standard`. */
  readonly enforcement?: Enforcement;
  /** Absent: a strict one refuses, others hold. */
  readonly on_outage?: OutageMode;
}

/** A rate limit as it is stored, in the public shape as well. */
export interface StoredRateLimit {
  readonly type: RateLimitRule['type'];
  readonly unit: RateLimitRule['unit'];
  readonly value: number;
  /** Absent: `fixed`. */
  readonly window?: 'fixed' | 'sliding';
  readonly enforcement?: Enforcement;
  /** Absent: it holds. */
  readonly on_outage?: OutageMode;
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
  ...(limit.enforcement === undefined ? {} : { enforcement: limit.enforcement }),
  ...(limit.on_outage === undefined ? {} : { onOutage: limit.on_outage }),
  ...(lastResetAt === null ? {} : { lastResetAt: lastResetAt.toISOString() }),
});

export const usageLimitRules = (
  stored: StoredUsageLimit | readonly StoredUsageLimit[] | null,
  lastResetAt: Date | null,
): readonly UsageLimitRule[] => [stored ?? []].flat().map((limit) => usageLimitRule(limit, lastResetAt));

/** The rule as the ledger reads it. */
export const rateLimitRule = ({
  type,
  unit,
  value,
  window,
  enforcement,
  on_outage: onOutage,
}: StoredRateLimit): RateLimitRule => ({
  type,
  unit,
  value,
  ...(window === undefined ? {} : { window }),
  ...(enforcement === undefined ? {} : { enforcement }),
  ...(onOutage === undefined ? {} : { onOutage }),
});

/** Null: none. */
export const rateLimitRules = (stored: readonly StoredRateLimit[] | null): readonly RateLimitRule[] =>
  (stored ?? []).map(rateLimitRule);
