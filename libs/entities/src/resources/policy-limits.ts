import type { RateLimitRule, UsageLimitRule } from '@gw/contracts';
import {
  rateLimitRule,
  usageLimitRule,
  type StoredRateLimit,
  type StoredUsageLimit,
} from '../identity/limits';
import type { RateLimitPolicyEntity } from './rate-limit-policy.entity';
import type { UsageLimitPolicyEntity } from './usage-limit-policy.entity';

/**
 * Returns the budget of a policy in the form in which other owners store budgets. Each value of a
 * policy has its own status, so the budget itself is always active.
 */
export const policyUsageLimit = (row: UsageLimitPolicyEntity): StoredUsageLimit => ({
  type: row.type,
  credit_limit: row.creditLimit,
  alert_threshold: row.alertThreshold,
  periodic_reset: row.periodicReset,
  periodic_reset_days: row.periodicResetDays,
  next_usage_reset_at: row.nextUsageResetAt?.toISOString() ?? null,
  status: 'active',
  ...(row.enforcement === null ? {} : { enforcement: row.enforcement }),
  ...(row.onOutage === null ? {} : { on_outage: row.onOutage }),
});

export const policyUsageRule = (row: UsageLimitPolicyEntity): UsageLimitRule =>
  usageLimitRule(policyUsageLimit(row), row.lastResetAt);

/** Returns the rate limit of a policy in the form in which other owners store rate limits. */
export const policyRateLimit = ({
  type,
  unit,
  value,
  window,
  enforcement,
  onOutage,
}: Pick<
  RateLimitPolicyEntity,
  'type' | 'unit' | 'value' | 'window' | 'enforcement' | 'onOutage'
>): StoredRateLimit => ({
  type,
  unit,
  value,
  ...(window === null ? {} : { window }),
  ...(enforcement === null ? {} : { enforcement }),
  ...(onOutage === null ? {} : { on_outage: onOutage }),
});

export const policyRateRule = (row: RateLimitPolicyEntity): RateLimitRule =>
  rateLimitRule(policyRateLimit(row));
