import { GatewayError, networkOf } from '@gw/kernel';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
/** Maximum number of counters. The least recently used are dropped first, which can only admit requests too many. */
const COUNTERS_MAX = 30_000;

interface Counter {
  failures: number;
  readonly endsAt: number;
}

/** Refuses networks with too many failed requests in a minute, in this process. */
export class FailureThrottle {
  private readonly counters = new LRUCache<string, Counter>({ max: COUNTERS_MAX });

  constructor(private readonly limit: number) {}

  /** Throws `rate_limited` with `Retry-After`. */
  assertOpen(address: string, now = Date.now()): void {
    const known = this.counters.get(networkOf(address));
    if (!known || known.endsAt <= now || known.failures < this.limit) return;
    throw new GatewayError('rate_limited', {
      headers: { 'retry-after': String(Math.ceil((known.endsAt - now) / 1_000)) },
    });
  }

  count(address: string, now = Date.now()): void {
    const network = networkOf(address);
    const known = this.counters.get(network);
    if (known && known.endsAt > now) known.failures += 1;
    else this.counters.set(network, { failures: 1, endsAt: now + WINDOW_MS });
  }
}
