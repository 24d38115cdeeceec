import type { LimitState, OutageMode, RateLimitRule, UsageLimitRule } from '@gw/contracts';
import { DAY_MS, UNITS_PER_USD } from '@gw/kernel';
import { boundariesAround, FIRST_MONDAY_MS, type ResetSchedule } from './reset-schedule';
import { WINDOW_MS } from './window';

export type Measure = 'cost' | 'tokens' | 'requests' | 'concurrency';

/** Over which time a counter counts. */
export type CounterWindow =
  | { readonly kind: 'fixed' | 'sliding'; readonly lengthMs: number; readonly originMs: number }
  | { readonly kind: 'period'; readonly schedule: ResetSchedule }
  /** What is held now, and nothing else. */
  | { readonly kind: 'open' };

/** One limit of one owner, compiled once for each version of its document. */
export interface Bucket {
  /** The counter's name within its tenant; it holds ids, never names, so that a namesake inherits nothing. */
  readonly key: string;
  /** The tenant: all counters of one request are kept together, so that they change in one step. */
  readonly tenant: string;
  readonly scope: LimitState['scope'];
  /** Of the owner or the policy. */
  readonly id: string;
  /** `cost`, `tokens`, `requests`, `concurrency`, `requests_per_m`, … */
  readonly type: string;
  readonly measure: Measure;
  /** 1e-8 USD, tokens or requests; an integer. */
  readonly value: number;
  readonly window: CounterWindow;
  /** The whole estimate must fit; otherwise anything that is left admits. */
  readonly strict: boolean;
  readonly onOutage: OutageMode;
  /** In the unit of `value`. */
  readonly alertAt: number | null;
}

export interface BucketOwner {
  /** Organisation id. */
  readonly tenant: string;
  readonly scope: LimitState['scope'];
  readonly id: string;
  /** Tells the counters of one policy apart; absent for everything else. */
  readonly group?: string;
}

/** A usage limit as a bucket. Budgets that cannot be checked hold, strict ones refuse, unless the rule says otherwise. */
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

/** A rate limit, or a bound on requests at the same time, as a bucket. */
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

/** At most `value` requests at the same time. */
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

/** What a budget's counter is of. */
export interface BudgetKey {
  readonly scope: LimitState['scope'];
  readonly id: string;
  readonly type: UsageLimitRule['type'];
  /** See `BucketOwner`. */
  readonly group: string | null;
}

const BUDGET_KEY =
  /^(api_key|workspace|provider|integration|policy):([^:]+):(cost|tokens|requests):budget(?::(.*))?$/s;

/** Null: it is no budget's. */
export function parseBudgetKey(key: string): BudgetKey | null {
  const match = BUDGET_KEY.exec(key);
  if (match === null) return null;
  const [, scope, id = '', type, group = null] = match;
  return { scope: scope as BudgetKey['scope'], id, type: type as BudgetKey['type'], group };
}

export const isBudget = (bucket: Bucket): boolean => bucket.window.kind === 'period';

/** The boundaries around a time for a counter that starts again, ascending, the first not after the time. */
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

/** From the shortest decimal text, so that 0.1 USD is exactly 10,000,000. Rounded down: a limit is never widened. */
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
