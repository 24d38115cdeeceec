import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 5 * 60_000;
/** Failures within the window. One address may belong to many users of one office, one user to many attackers. */
const FAILURES_MAX = { pair: 10, address: 50, user: 100 } as const;
/** Counters kept; the least used ones are dropped first, which only ever admits an attempt too many. */
const COUNTERS_MAX = 30_000;

interface Counter {
  failures: number;
  readonly endsAt: number;
}

/** Slows down guessing: counts failed logins by address, by user and by both, for five minutes, in this process. */
export class LoginThrottle {
  private readonly counters = new LRUCache<string, Counter>({ max: COUNTERS_MAX });

  /**
   * Counts an attempt as failed before it is tried, so that many at once count too; `succeeded` takes it back. Throws
   * `rate_limited` with `Retry-After`.
   */
  attempt(address: string, email: string, now = Date.now()): void {
    const keys = keysOf(address, email);
    for (const [key, max] of keys) {
      const counter = this.counters.get(key);
      if (counter && counter.endsAt > now && counter.failures >= max) throw tooMany(counter.endsAt - now);
    }
    for (const [key] of keys) {
      const counter = this.counters.get(key);
      if (counter && counter.endsAt > now) counter.failures += 1;
      else this.counters.set(key, { failures: 1, endsAt: now + WINDOW_MS });
    }
  }

  succeeded(address: string, email: string): void {
    for (const [key] of keysOf(address, email)) {
      const counter = this.counters.get(key);
      if (counter) counter.failures -= 1;
    }
  }
}

const keysOf = (address: string, email: string): readonly (readonly [string, number])[] => [
  [`p ${address} ${email}`, FAILURES_MAX.pair],
  [`a ${address}`, FAILURES_MAX.address],
  [`u ${email}`, FAILURES_MAX.user],
];

function tooMany(waitMs: number): GatewayError {
  const seconds = String(Math.ceil(waitMs / 1000));
  return new GatewayError('rate_limited', {
    message: 'Too many failed logins. Try again later.',
    headers: { 'retry-after': seconds },
  });
}
