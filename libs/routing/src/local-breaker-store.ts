import type { BreakerChange, BreakerStore } from '@gw/contracts';
import { EndpointMap } from './endpoint-map';

/**
 * Maximum number of breakers kept; at the cap the workspace with the most loses the one that opened
 * first.
 */
const CAPACITY = 10_000;

/** Shares breakers within a process. `now` returns milliseconds. */
export class LocalBreakerStore implements BreakerStore {
  private readonly open = new EndpointMap<number>(CAPACITY);
  private readonly listeners = new Set<(change: BreakerChange) => void>();

  constructor(private readonly now: () => number) {}

  publish(change: BreakerChange): void {
    this.open.delete(change.key);
    if (change.openForMs > 0) {
      this.open.set(change.key, this.now() + change.openForMs);
    }
    for (const listener of this.listeners) listener(change);
  }

  subscribe(listener: (change: BreakerChange) => void): () => void {
    this.listeners.add(listener);
    for (const [key, untilMs] of [...this.open.entries()]) {
      const openForMs = untilMs - this.now();
      if (openForMs > 0) listener({ key, openForMs });
      else this.open.delete(key);
    }
    return () => {
      this.listeners.delete(listener);
    };
  }
}
