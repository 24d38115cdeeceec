import type { Waiter } from './waiter';

/** `done`: it was decided meanwhile. `blocked`: a counter of it is part of a round trip. */
export type Readiness = 'ready' | 'blocked' | 'done';

const WAITERS_PER_EXCHANGE = 256;
/** Waiters that one search looks at: those behind them come after the round trip that these wait for. */
const LOOKED_AT_MAX = 512;

/** Requests that wait for the counters, in the order in which they came. */
export class WaiterQueue {
  private waiters: Waiter[] = [];

  get length(): number {
    return this.waiters.length;
  }

  push(waiter: Waiter): void {
    this.waiters.push(waiter);
  }

  /** Those that may share a round trip now; a blocked waiter keeps its place. */
  take(readinessOf: (waiter: Waiter) => Readiness): Waiter[] {
    const taken: Waiter[] = [];
    const blocked: Waiter[] = [];
    const first = this.waiters.splice(0, LOOKED_AT_MAX);
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
