import type { RateLimitRule, UsageLimitRule } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import { claimFault } from './trust-token';

type Claims = Readonly<Record<string, unknown>>;

/** Limits that a token sets for its own subject. */
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
 * Reads `rate_limits` (at most 10) and `usage_limits` (at most one of each type), in the form that keys have them. They restrict only, so
 * a fault in them throws `TokenFault`. Budgets start again by the calendar: `next_usage_reset_at` is checked and left out. `alert_threshold`
 * is left out: an alert of a subject would have no receiver.
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
  most: number,
  read: (each: Claims) => T,
  counterOf: (rule: T) => string,
): readonly T[] {
  if (raw === undefined || raw === null) return [];
  // Keys have one budget as an object.
  const list: readonly unknown[] = Array.isArray(raw) ? raw : [raw];
  if (list.length > most) throw claimFault(`${name} must be a list of at most ${String(most)}`);
  const rules = list.map((each) => read(isObject(each) ? each : {}));
  if (new Set(rules.map(counterOf)).size < rules.length)
    throw claimFault(`${name} must not limit the same twice`);
  return rules;
}

function rateOf({ type, unit, value }: Claims): RateLimitRule {
  const isRight = (type === 'requests' || type === 'tokens') && UNITS.includes(unit);
  if (!isRight || typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw claimFault('each of rate_limits needs type, unit and value');
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
    throw claimFault('periodic_reset and periodic_reset_days exclude each other');
  if (next !== null && !isTime(next)) throw claimFault('next_usage_reset_at must be a time');
  return {
    periodicReset: every as Reset['periodicReset'],
    periodicResetDays: days as Reset['periodicResetDays'],
    // A time of the token's own choice would start the budget anew with each token.
    nextResetAt: null,
  };
}
