import type { RateLimitRule, UsageLimitRule } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import { claimFault } from './trust-token';

type Claims = Readonly<Record<string, unknown>>;

/** Limits that a token of kind `jwt` sets for its own subject. */
export interface TokenLimits {
  readonly rateLimits: readonly RateLimitRule[];
  readonly usageLimits: readonly UsageLimitRule[];
}

export const NO_LIMITS: TokenLimits = { rateLimits: [], usageLimits: [] };

const RATES_MAX = 10;
const UNITS: readonly unknown[] = ['rps', 'rpm', 'rph', 'rpd', 'rpw'];
const BUDGETS: readonly unknown[] = ['cost', 'tokens', 'requests'];
const RESETS: readonly unknown[] = ['weekly', 'monthly'];
const DAYS_MAX = 365;

/**
 * Reads the limits from the claims `rate_limits` (at most 10, one for each type and unit) and
 * `usage_limits` (at most one for each type). Throws `TokenFault` for a wrong claim: limits only
 * restrict, so ignoring one would lift the restriction.
 *
 * Only some members of the limits of keys are supported. Rates have `type` (not `concurrency`),
 * `unit` and `value`. Budgets have `type`, `credit_limit` and optionally `periodic_reset` or
 * `periodic_reset_days`. `next_usage_reset_at` is validated but has no effect. Other members are
 * ignored, also `alert_threshold`, because the alert would have no recipient.
 */
export const limitsOf = (claims: Claims): TokenLimits => ({
  rateLimits: listOf(
    'rate_limits',
    claims['rate_limits'],
    RATES_MAX,
    rateOf,
    ({ type, unit }) => `${type} ${String(unit)}`,
  ),
  usageLimits: listOf('usage_limits', claims['usage_limits'], BUDGETS.length, budgetOf, ({ type }) => type),
});

function listOf<T>(
  name: string,
  raw: unknown,
  countMax: number,
  read: (each: Claims) => T,
  kindOf: (rule: T) => string,
): readonly T[] {
  if (raw === undefined || raw === null) return [];
  // A single limit may be an object instead of a list.
  const list: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  if (list.length > countMax) throw claimFault(`${name} must be a list of at most ${String(countMax)}`);
  const rules = list.map((each) => read(isObject(each) ? each : {}));
  const kinds = rules.map(kindOf);
  const repeated = kinds.find((kind, index) => kinds.indexOf(kind) < index);
  if (repeated !== undefined) throw claimFault(`${name} has two limits of ${repeated}`);
  return rules;
}

function rateOf({ type, unit, value }: Claims): RateLimitRule {
  const isKnown = (type === 'requests' || type === 'tokens') && UNITS.includes(unit);
  if (!isKnown || typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw claimFault(
      `each of rate_limits needs type (requests or tokens), unit (${UNITS.join(', ')}) and value, a whole number of at least 0`,
    );
  return { type, unit: unit as RateLimitRule['unit'], value };
}

function budgetOf(claims: Claims): UsageLimitRule {
  const { type, credit_limit: creditLimit } = claims;
  if (!BUDGETS.includes(type)) throw claimFault('each of usage_limits needs type: cost, tokens or requests');
  if (typeof creditLimit !== 'number' || !Number.isFinite(creditLimit) || creditLimit < 0)
    throw claimFault('each of usage_limits needs credit_limit, a number of at least 0');
  return {
    type: type as UsageLimitRule['type'],
    creditLimit,
    alertThreshold: null,
    ...resetOf(claims),
    status: 'active',
  };
}

type Reset = Pick<UsageLimitRule, 'periodicReset' | 'periodicResetDays' | 'nextResetAt'>;

const isDays = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= DAYS_MAX;

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value));

function resetOf(claims: Claims): Reset {
  const { periodic_reset: every = null, periodic_reset_days: days = null } = claims;
  const { next_usage_reset_at: next = null } = claims;
  if (every !== null && !RESETS.includes(every)) throw claimFault('periodic_reset must be weekly or monthly');
  if (days !== null && !isDays(days))
    throw claimFault(`periodic_reset_days must be a whole number from 1 to ${String(DAYS_MAX)}`);
  if (every !== null && days !== null)
    throw claimFault('periodic_reset and periodic_reset_days are mutually exclusive; set one of them');
  if (next !== null && !isTime(next))
    throw claimFault('next_usage_reset_at must be a time, such as 2030-01-01T00:00:00Z');
  return {
    periodicReset: every as Reset['periodicReset'],
    periodicResetDays: days as Reset['periodicResetDays'],
    // If a token could choose this time, each new token could start the budget again.
    nextResetAt: null,
  };
}
