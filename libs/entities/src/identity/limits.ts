import type { Enforcement, OutageMode, RateLimitRule, UsageLimitRule } from '@gw/contracts';

/**
 * A stored budget in the snake_case form of the public API, so that responses need no second
 * mapping.
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
  /**
   * Behaviour while the counters are unreachable. Absent: `refuse` for a strict budget, `hold` for
   * others.
   */
  readonly on_outage?: OutageMode;
}

/** A stored rate limit, in the form of the public API. */
export interface StoredRateLimit {
  readonly type: RateLimitRule['type'];
  readonly unit: RateLimitRule['unit'];
  readonly value: number;
  /** Absent: `fixed`. */
  readonly window?: 'fixed' | 'sliding';
  readonly enforcement?: Enforcement;
  /** Behaviour while the counters are unreachable. Absent: `hold`. */
  readonly on_outage?: OutageMode;
}

/** Returns the rule for the ledger. `lastResetAt` is the last reset of the limit's owner. */
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

/** Returns the rules for the ledger of one budget or several; an empty list for null. */
export const usageLimitRules = (
  stored: StoredUsageLimit | readonly StoredUsageLimit[] | null,
  lastResetAt: Date | null,
): readonly UsageLimitRule[] => [stored ?? []].flat().map((limit) => usageLimitRule(limit, lastResetAt));

/** Returns the rule for the ledger. */
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

/** Returns the rules for the ledger; an empty list for null. */
export const rateLimitRules = (stored: readonly StoredRateLimit[] | null): readonly RateLimitRule[] =>
  (stored ?? []).map(rateLimitRule);
