import type { StoredRateLimit, StoredUsageLimit } from '@gw/entities';
import { DAY_MS } from '@gw/kernel';
import { invalid } from '@gw/web';
import type { RateLimitDto, UsageLimitDto } from './limits.dto';

/** Midnight UTC of the day that `date` lies in. */
export const midnightOf = (date: Date): Date => new Date(Math.floor(date.getTime() / DAY_MS) * DAY_MS);

/** Weeks start on Monday, months on the 1st, both at midnight UTC. */
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

/** What periodic things share: a name or a number of days, and an explicit next time that overrides the first. */
export interface Schedule {
  readonly period: 'weekly' | 'monthly' | null;
  /** 1 to 365. */
  readonly days: number | null;
  /** ISO 8601, not yet normalised. */
  readonly next: string | null;
}

/** The next time, at midnight UTC; null when there is none. Throws `validation_failed` when a name and days are given. */
export function nextOf(
  schedule: Schedule,
  names: readonly [period: string, days: string],
  path: string,
  now: Date,
): string | null {
  const { period, days, next } = schedule;
  if (period !== null && days !== null) {
    throw invalid(`${path}.${names[1]}`, `${names[0]} and ${names[1]} exclude each other`);
  }
  const date = next === null ? nextResetAfter(now, { period, days }) : midnightOf(new Date(next));
  return date?.toISOString() ?? null;
}

/** USD that a counter of 1e-8 USD holds exactly. */
const USD_MAX = 90_000_000;

/** Throws `validation_failed` for more money than is counted exactly: it would be another limit than the one that is shown. */
export function assertCountable(type: string, creditLimit: number, path: string): void {
  if (type !== 'cost' || creditLimit <= USD_MAX) return;
  throw invalid(path, `credit_limit must not be greater than ${String(USD_MAX)} USD`);
}

/**
 * Checks what a decorator can't say and gives the stored form. `path` leads the paths of errors (`usage_limits`). A limit that
 * is raised is active again; whether it is exhausted is found out by the next request.
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

/** What is stored of how a limit acts: only what was chosen, so that a default may differ with what the limit is. */
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

/** Null and an empty list both mean: no rate limit. One rule for each type and unit. */
export function toStoredRateLimits(
  input: readonly RateLimitDto[] | null,
  path = 'rate_limits',
): StoredRateLimit[] | null {
  if (input === null || input.length === 0) return null;
  const seen = new Set<string>();
  return input.map((limit, index) => {
    const at = `${path}.${String(index)}`;
    const stored = toStoredRateLimit(limit, at);
    const kind = stored.unit === null ? stored.type : `${stored.type} ${stored.unit}`;
    if (seen.has(kind)) throw invalid(at, `there is already a limit of ${kind}`);
    seen.add(kind);
    return stored;
  });
}

/** Throws `validation_failed` where the members do not fit together. `path`: of the limit; empty: its members stand alone. */
export function toStoredRateLimit(limit: RateLimitDto, path: string): StoredRateLimit {
  const { type, unit = null, value, window, enforcement } = limit;
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  if (type === 'concurrency') {
    if (unit !== null) throw invalid(at('unit'), 'a limit of concurrency has no unit');
    if (window) throw invalid(at('window'), 'a limit of concurrency has no window');
  } else if (unit === null) throw invalid(at('unit'), `unit is required for a limit of ${type}`);
  if (enforcement && type !== 'tokens') {
    throw invalid(at('enforcement'), `enforcement is for tokens: a limit of ${type} is never passed`);
  }
  return { type, unit, value, ...(window ? { window } : {}), ...chosen(limit) };
}
