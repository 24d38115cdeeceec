import type { StoredRateLimit, StoredUsageLimit } from '@gw/entities';
import { DAY_MS } from '@gw/kernel';
import { invalid } from '@gw/web';
import { USD_MAX, type RateLimitDto, type UsageLimitDto } from './limits.dto';

/** Returns midnight UTC of the day of `date`. */
export const midnightOf = (date: Date): Date => new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS);

/**
 * Returns the next reset at midnight UTC: on Monday for weeks, on the 1st for months; null without
 * a period.
 */
export function nextResetAfter(
  now: Date,
  rule: { readonly period: 'weekly' | 'monthly' | null; readonly days: number | null },
): Date | null {
  const today = midnightOf(now);
  if (rule.period === 'monthly') return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  if (rule.period === 'weekly') {
    const sinceMonday = (now.getUTCDay() + 6) % 7;
    return new Date(today.getTime() + (7 - sinceMonday) * DAY_MS);
  }
  return rule.days === null ? null : new Date(today.getTime() + rule.days * DAY_MS);
}

/**
 * Schedule of a reset or rotation: a named period or a number of days, and an explicit date that
 * overrides the first occurrence.
 */
export interface Schedule {
  readonly period: 'weekly' | 'monthly' | null;
  /** Length of the period in days, 1 to 365. */
  readonly days: number | null;
  /** Date of the first occurrence in ISO 8601, not yet rounded. */
  readonly next: string | null;
}

/**
 * Returns the next date at midnight UTC; null when there is none. Throws `validation_failed` when
 * both a named period and days are set.
 */
export function nextOf(
  schedule: Schedule,
  names: readonly [period: string, days: string],
  path: string,
  now: Date,
): string | null {
  const { period, days, next } = schedule;
  if (period !== null && days !== null) {
    throw invalid(
      `${path}.${names[1]}`,
      `${names[0]} and ${names[1]} are mutually exclusive; send one of them`,
    );
  }
  const date = next === null ? nextResetAfter(now, { period, days }) : midnightOf(new Date(next));
  return date?.toISOString() ?? null;
}

/**
 * Throws `validation_failed` for an amount that cannot be counted exactly, since the limit in force
 * would differ from the one shown.
 */
export function assertCountable(type: string, creditLimit: number, path: string): void {
  if (type !== 'cost' || creditLimit <= USD_MAX) return;
  throw invalid(path, `credit_limit must not be greater than ${String(USD_MAX)} USD`);
}

/**
 * Checks a budget beyond its decorators and returns its stored form. `path` is the prefix of error
 * paths (`usage_limits`). A changed limit becomes active again; the next request determines whether
 * it is exhausted.
 */
export function toStoredUsageLimit(input: UsageLimitDto, path: string, now = new Date()): StoredUsageLimit {
  const { type = 'cost', credit_limit, alert_threshold = null } = input;
  assertCountable(type, credit_limit, `${path}.credit_limit`);
  if (alert_threshold !== null && alert_threshold >= credit_limit) {
    throw invalid(`${path}.alert_threshold`, 'alert_threshold must be below credit_limit');
  }
  const schedule = {
    period: input.periodic_reset ?? null,
    days: input.periodic_reset_days ?? null,
    next: input.next_usage_reset_at ?? null,
  };
  return {
    type,
    credit_limit,
    alert_threshold,
    periodic_reset: schedule.period,
    periodic_reset_days: schedule.days,
    next_usage_reset_at: nextOf(schedule, ['periodic_reset', 'periodic_reset_days'], path, now),
    status: 'active',
    ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
    ...chosen(input),
  };
}

/** Returns only the options that were set, so that the default can depend on the kind of limit. */
const chosen = ({
  enforcement,
  on_outage,
}: Pick<UsageLimitDto, 'enforcement' | 'on_outage'>): Pick<
  StoredUsageLimit,
  'enforcement' | 'on_outage'
> => ({
  ...(enforcement ? { enforcement } : {}),
  ...(on_outage ? { on_outage } : {}),
});

/**
 * Returns the stored rate limits; null for null or an empty list. Throws `validation_failed` for
 * two rules of one type and unit.
 */
export function toStoredRateLimits(
  input: readonly RateLimitDto[] | null,
  path = 'rate_limits',
): StoredRateLimit[] | null {
  if (input === null || input.length === 0) return null;
  const seen = new Set<string>();
  return input.map((limit, index) => {
    const itemPath = `${path}.${String(index)}`;
    const stored = toStoredRateLimit(limit, itemPath);
    const kind = stored.unit === null ? stored.type : `${stored.type} ${stored.unit}`;
    if (seen.has(kind))
      throw invalid(itemPath, `duplicates the limit of ${kind}; send one limit for each type and unit`);
    seen.add(kind);
    return stored;
  });
}

/**
 * Throws `validation_failed` for members that do not fit together. `path` is the limit's path;
 * empty when its members are at the top level.
 */
export function toStoredRateLimit(limit: RateLimitDto, path: string): StoredRateLimit {
  const { type, unit = null, value, window, enforcement } = limit;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (type === 'concurrency') {
    if (unit !== null) throw invalid(at('unit'), 'unit must be absent for concurrency');
    if (window) throw invalid(at('window'), 'window must be absent for concurrency');
  } else if (unit === null) throw invalid(at('unit'), `unit is required for ${type}`);
  if (enforcement && type !== 'tokens') {
    throw invalid(
      at('enforcement'),
      `enforcement must be absent for ${type}, which is always strict; it applies only to tokens`,
    );
  }
  return { type, unit, value, ...(window ? { window } : {}), ...chosen(limit) };
}
