import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
/** Maximum number of counters. The least recently used are dropped first, which can only admit requests too many. */
const COUNTERS_MAX = 30_000;

interface Counter {
  failures: number;
  readonly endsAt: number;
}

/** Counts failed requests by their source, such as a network, in this process. */
export class FailureThrottle {
  private readonly counters = new LRUCache<string, Counter>({ max: COUNTERS_MAX });

  /** `limit`: failures of one source in a minute. */
  constructor(private readonly limit: number) {}

  /** Throws `rate_limited` with `Retry-After` when the source has too many failures. */
  assertOpen(source: string, now = Date.now()): void {
    const known = this.counters.get(source);
    if (known === undefined || !this.isFull(source, now)) return;
    throw new GatewayError('rate_limited', {
      headers: { 'retry-after': String(Math.ceil((known.endsAt - now) / 1_000)) },
    });
  }

  isFull(source: string, now = Date.now()): boolean {
    const known = this.counters.get(source);
    return known !== undefined && known.endsAt > now && known.failures >= this.limit;
  }

  count(source: string, now = Date.now()): void {
    const known = this.counters.get(source);
    if (known && known.endsAt > now) known.failures += 1;
    else this.counters.set(source, { failures: 1, endsAt: now + WINDOW_MS });
  }
}
