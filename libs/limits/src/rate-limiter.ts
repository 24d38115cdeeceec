import type { LimitState, RateLimitRule } from '@gw/contracts';
import { WINDOW_MS, windowStart } from './window';

/** One rule of one owner, with its place in the counters worked out once. */
export interface RateBucket {
  readonly key: string;
  readonly scope: LimitState['scope'];
  readonly id: string;
  readonly rule: RateLimitRule;
}

export const rateBuckets = (
  scope: LimitState['scope'],
  id: string,
  rules: readonly RateLimitRule[],
): readonly RateBucket[] =>
  rules.map((rule) => ({ key: `${scope}:${id}:${rule.type}:${rule.unit}`, scope, id, rule }));

export interface RateVerdict {
  readonly admitted: boolean;
  /** Every bucket that was looked at, the refusing one last. */
  readonly states: readonly LimitState[];
  /** Until the refusing window ends, milliseconds; 0 when admitted. */
  readonly retryAfterMs: number;
}

/** Where windows are counted. All buckets of a request are taken in one step: either every one of them counts it, or none. */
export interface RateCounters {
  /** Takes one request from each `requests` bucket; a `tokens` bucket admits while it has not reached its value. */
  admit(buckets: readonly RateBucket[], nowMs: number): RateVerdict | Promise<RateVerdict>;
  /** Adds the tokens that a request turned out to use. */
  addTokens(buckets: readonly RateBucket[], tokens: number, nowMs: number): void;
}

interface Counter {
  start: number;
  used: number;
  /** ISO 8601, made once a window. */
  resetAt: string;
}

const ADMITTED: RateVerdict = { admitted: true, states: [], retryAfterMs: 0 };

/**
 * Counts in this process: exact for one gateway process. Holds at most `capacity` counters: at the cap those whose window has
 * passed are dropped, and if none has, the oldest ones, which forgets their use (never more than one window of it).
 */
export class InProcessRateCounters implements RateCounters {
  private readonly counters = new Map<string, Counter>();

  constructor(private readonly capacity = 200_000) {}

  admit(buckets: readonly RateBucket[], nowMs: number): RateVerdict {
    if (buckets.length === 0) return ADMITTED;
    const states: LimitState[] = [];
    for (const bucket of buckets) {
      const counter = this.current(bucket, nowMs);
      const admitted = counter.used < bucket.rule.value;
      states.push(stateOf(bucket, counter, admitted));
      if (!admitted) return { admitted, states, retryAfterMs: windowEnd(bucket.rule.unit, nowMs) - nowMs };
    }
    for (const bucket of buckets) if (bucket.rule.type === 'requests') this.current(bucket, nowMs).used += 1;
    return { admitted: true, states, retryAfterMs: 0 };
  }

  addTokens(buckets: readonly RateBucket[], tokens: number, nowMs: number): void {
    for (const bucket of buckets)
      if (bucket.rule.type === 'tokens') this.current(bucket, nowMs).used += tokens;
  }

  private current(bucket: RateBucket, nowMs: number): Counter {
    const start = windowStart(bucket.rule.unit, nowMs);
    const known = this.counters.get(bucket.key);
    if (known) {
      if (known.start !== start) {
        known.start = start;
        known.used = 0;
        known.resetAt = isoEnd(bucket.rule.unit, nowMs);
      }
      return known;
    }
    if (this.counters.size >= this.capacity) this.makeRoom(nowMs);
    const fresh = { start, used: 0, resetAt: isoEnd(bucket.rule.unit, nowMs) };
    this.counters.set(bucket.key, fresh);
    return fresh;
  }

  private makeRoom(nowMs: number): void {
    const target = Math.floor(this.capacity * 0.9);
    for (const [key, counter] of this.counters) {
      const unit = key.slice(key.lastIndexOf(':') + 1) as RateLimitRule['unit'];
      if (counter.start + WINDOW_MS[unit] <= nowMs) this.counters.delete(key);
    }
    for (const key of this.counters.keys()) {
      if (this.counters.size <= target) break;
      this.counters.delete(key);
    }
  }
}

const windowEnd = (unit: RateLimitRule['unit'], nowMs: number): number =>
  windowStart(unit, nowMs) + WINDOW_MS[unit];

const isoEnd = (unit: RateLimitRule['unit'], nowMs: number): string =>
  new Date(windowEnd(unit, nowMs)).toISOString();

const stateOf = (bucket: RateBucket, counter: Counter, admitted: boolean): LimitState => ({
  scope: bucket.scope,
  id: bucket.id,
  type: `${bucket.rule.type}_per_${bucket.rule.unit.slice(2)}`,
  limit: bucket.rule.value,
  used: counter.used,
  resetAt: counter.resetAt,
  verdict: admitted ? 'admitted' : 'refused',
});
