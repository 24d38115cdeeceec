import type { LimitState, OutageMode, RateLimitRule, UsageLimitRule } from '@gw/contracts';
import { DAY_MS, UNITS_PER_USD } from '@gw/kernel';
import { boundariesAround, FIRST_MONDAY_MS, type ResetSchedule } from './reset-schedule';
import { WINDOW_MS } from './window';

export type Measure = 'cost' | 'tokens' | 'requests' | 'concurrency';

/** The time over which a counter counts. */
export type CounterWindow =
  | { readonly kind: 'fixed' | 'sliding'; readonly lengthMs: number; readonly originMs: number }
  | { readonly kind: 'period'; readonly schedule: ResetSchedule }
  /** Counts only what is held now. */
  | { readonly kind: 'open' };

/** One limit of one owner, compiled once per version of its document. */
export interface Bucket {
  /**
   * Name of the counter within its tenant. It contains ids, never names, so that a new owner with
   * an old name starts at 0.
   */
  readonly key: string;
  /**
   * All counters of a request belong to one tenant, so that the store can change them in one atomic
   * step.
   */
  readonly tenant: string;
  readonly scope: LimitState['scope'];
  /** Id of the owner or the policy. */
  readonly id: string;
  /** `cost`, `tokens`, `requests`, `concurrency`, `requests_per_m`, … */
  readonly type: string;
  readonly measure: Measure;
  /** 1e-8 USD, tokens or requests; an integer. */
  readonly value: number;
  readonly window: CounterWindow;
  /**
   * Whether the whole estimate must fit; a limit that is not strict admits as long as anything is
   * left.
   */
  readonly strict: boolean;
  readonly onOutage: OutageMode;
  /** Amount at which an alert is sent, in the unit of `value`; null for no alert. */
  readonly alertAt: number | null;
}

export interface BucketOwner {
  /** Organisation id. */
  readonly tenant: string;
  readonly scope: LimitState['scope'];
  readonly id: string;
  /**
   * Distinguishes counters of one owner: values of a policy, workspaces of an integration, or
   * schedules of the budgets that tokens of a trust set. Absent: each limit has one counter.
   */
  readonly group?: string;
}

/**
 * Converts a usage limit to a bucket. During an outage strict budgets refuse and others use their
 * local share, unless the rule says otherwise.
 */
export function budgetBucket(owner: BucketOwner, rule: UsageLimitRule): Bucket {
  const strict = rule.enforcement === 'strict';
  return {
    ...ownerPart(owner, `${rule.type}:budget`),
    type: rule.type,
    measure: rule.type,
    value: inUnits(rule.type, rule.creditLimit),
    window: { kind: 'period', schedule: scheduleOf(rule) },
    strict,
    onOutage: rule.onOutage ?? (strict ? 'refuse' : 'hold'),
    alertAt: rule.alertThreshold === null ? null : inUnits(rule.type, rule.alertThreshold),
  };
}

/** Converts a rate limit or a concurrency limit to a bucket. */
export function rateBucket(owner: BucketOwner, rule: RateLimitRule): Bucket {
  if (rule.type === 'concurrency' || rule.unit === null) {
    return concurrencyBucket(owner, rule.value, rule.onOutage);
  }
  const kind = rule.window ?? 'fixed';
  return {
    ...ownerPart(owner, `${rule.type}:${rule.unit}:${kind}`),
    type: `${rule.type}_per_${rule.unit.slice(2)}`,
    measure: rule.type,
    value: rule.value,
    window: {
      kind,
      lengthMs: WINDOW_MS[rule.unit],
      originMs: rule.unit === 'rpw' ? FIRST_MONDAY_MS : 0,
    },
    strict: rule.enforcement === 'strict',
    onOutage: rule.onOutage ?? 'hold',
    alertAt: null,
  };
}

/** Returns a bucket that admits at most `value` concurrent requests. */
export function concurrencyBucket(owner: BucketOwner, value: number, onOutage: OutageMode = 'hold'): Bucket {
  return {
    ...ownerPart(owner, 'concurrency'),
    type: 'concurrency',
    measure: 'concurrency',
    value,
    window: { kind: 'open' },
    strict: true,
    onOutage,
    alertAt: null,
  };
}

/** Parts of a budget counter's key. */
export interface BudgetKey {
  readonly scope: LimitState['scope'];
  readonly id: string;
  readonly type: UsageLimitRule['type'];
  /** See `BucketOwner`. */
  readonly group: string | null;
}

const BUDGET_KEY =
  /^(api_key|workspace|provider|integration|policy):([^:]+):(cost|tokens|requests):budget(?::(.*))?$/s;

/** Parses the key of a budget counter; returns null for any other counter. */
export function parseBudgetKey(key: string): BudgetKey | null {
  const match = BUDGET_KEY.exec(key);
  if (match === null) return null;
  const [, scope, id = '', type, group = null] = match;
  return { scope: scope as BudgetKey['scope'], id, type: type as BudgetKey['type'], group };
}

export const isBudget = (bucket: Bucket): boolean => bucket.window.kind === 'period';

/**
 * Returns the window or period boundaries around a time in ascending order; the first one is not
 * after it.
 */
export function boundariesOf(window: CounterWindow, nowMs: number): readonly number[] {
  switch (window.kind) {
    case 'period':
      return boundariesAround(window.schedule, nowMs);
    case 'open':
      return [0];
    case 'fixed':
    case 'sliding': {
      const start = nowMs - ((nowMs - window.originMs) % window.lengthMs);
      return [start, start + window.lengthMs];
    }
  }
}

function ownerPart(
  { tenant, scope, id, group }: BucketOwner,
  name: string,
): Pick<Bucket, 'key' | 'tenant' | 'scope' | 'id'> {
  const key = group === undefined ? `${scope}:${id}:${name}` : `${scope}:${id}:${name}:${group}`;
  return { key, tenant, scope, id };
}

/**
 * Converts a limit to the unit of its counter. A cost that is a whole number of units converts
 * exactly: 0.1 USD is 10,000,000 units. Other values are rounded down, so that a limit is never
 * exceeded.
 */
function inUnits(type: UsageLimitRule['type'], value: number): number {
  if (type !== 'cost') return Math.floor(value);
  const scaled = value * UNITS_PER_USD;
  const nearest = Math.round(scaled);
  const units =
    Math.abs(scaled - nearest) <= Math.abs(scaled) * Number.EPSILON ? nearest : Math.floor(scaled);
  return Math.min(units, Number.MAX_SAFE_INTEGER);
}

function scheduleOf(rule: UsageLimitRule): ResetSchedule {
  const anchor = rule.nextResetAt === null ? null : Date.parse(rule.nextResetAt);
  const last = rule.lastResetAt ? Date.parse(rule.lastResetAt) : null;
  return {
    every: rule.periodicReset ?? rule.periodicResetDays,
    anchorMs: anchor === null ? null : anchor - (anchor % DAY_MS),
    lastResetMs: last,
  };
}
