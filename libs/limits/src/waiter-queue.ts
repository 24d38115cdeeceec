import type { Waiter } from './waiter';

/**
 * `done`: the request was decided meanwhile. `blocked`: one of its counters is part of a round
 * trip.
 */
export type Readiness = 'ready' | 'blocked' | 'done';

const WAITERS_PER_EXCHANGE = 256;
/** Waiters that one search examines; those behind them are reached after the current round trip. */
const EXAMINED_MAX = 512;

/** Requests that wait for the counters, in order of arrival. */
export class WaiterQueue {
  private waiters: Waiter[] = [];

  get length(): number {
    return this.waiters.length;
  }

  push(waiter: Waiter): void {
    this.waiters.push(waiter);
  }

  /** Returns the waiters that may share a round trip now; a blocked waiter keeps its place. */
  take(readinessOf: (waiter: Waiter) => Readiness): Waiter[] {
    const taken: Waiter[] = [];
    const blocked: Waiter[] = [];
    const first = this.waiters.splice(0, EXAMINED_MAX);
    let at = 0;
    for (; at < first.length && taken.length < WAITERS_PER_EXCHANGE; at += 1) {
      const waiter = first[at] as Waiter;
      const readiness = readinessOf(waiter);
      if (readiness === 'ready') taken.push(waiter);
      else if (readiness === 'blocked') blocked.push(waiter);
    }
    this.waiters = [...blocked, ...first.slice(at), ...this.waiters];
    return taken;
  }

  clear(): readonly Waiter[] {
    return this.waiters.splice(0);
  }
}
