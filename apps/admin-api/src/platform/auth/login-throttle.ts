import { GatewayError, networkOf } from '@gw/kernel';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 5 * 60_000;
/** Wrong passwords for one user from one network before each further one costs a wait. */
const FREE_FAILURES = 5;
/** Failures of one network in the window, for any user. One network may be an office of many users. */
const NETWORK_FAILURES_MAX = 100;
/** Counters kept of each kind; the least used ones are dropped first, which only ever admits an attempt too many. */
const COUNTERS_MAX = 30_000;

interface Counter {
  failures: number;
  /** No attempt before this time. */
  notBefore: number;
  readonly endsAt: number;
}

/**
 * Slows down guessing, in this process, and locks no user out. The wait doubles with each wrong password for one user from one
 * network: 1 s after the sixth, 5 minutes at most; the same user logs in from any other network meanwhile. A network with many
 * failures gets no further attempt for users who have not logged in from it before. Guesses from many networks are bounded by
 * the `PasswordGate`.
 */
export class LoginThrottle {
  private readonly pairs = new LRUCache<string, Counter>({ max: COUNTERS_MAX });
  private readonly networks = new LRUCache<string, Counter>({ max: COUNTERS_MAX });
  /** Users who have shown the right password from a network. */
  private readonly known = new LRUCache<string, true>({ max: COUNTERS_MAX });

  /**
   * Counts an attempt as failed before it is made, so that many at once count too; `succeeded` takes it back. Throws
   * `rate_limited` with `Retry-After`.
   */
  attempt(address: string, email: string, now = Date.now()): void {
    const network = networkOf(address);
    const name = `${network} ${email}`;
    const pair = current(this.pairs, name, now);
    const all = current(this.networks, network, now);
    if (pair.notBefore > now) throw tooMany(pair.notBefore - now);
    if (all.failures >= NETWORK_FAILURES_MAX && !this.known.has(name)) throw tooMany(all.endsAt - now);
    pair.failures += 1;
    all.failures += 1;
    if (pair.failures > FREE_FAILURES) {
      const waitMs = Math.min(1_000 * 2 ** (pair.failures - FREE_FAILURES - 1), WINDOW_MS);
      // A wait ends no earlier than its counter, or the doubling would begin anew.
      this.pairs.set(name, { ...pair, notBefore: now + waitMs, endsAt: now + waitMs + WINDOW_MS });
    }
  }

  succeeded(address: string, email: string): void {
    const network = networkOf(address);
    const name = `${network} ${email}`;
    this.pairs.delete(name);
    this.known.set(name, true);
    const all = this.networks.get(network);
    if (all) all.failures -= 1;
  }
}

function current(counters: LRUCache<string, Counter>, name: string, now: number): Counter {
  const known = counters.get(name);
  if (known && known.endsAt > now) return known;
  const fresh = { failures: 0, notBefore: 0, endsAt: now + WINDOW_MS };
  counters.set(name, fresh);
  return fresh;
}

function tooMany(waitMs: number): GatewayError {
  const seconds = String(Math.ceil(waitMs / 1000));
  return new GatewayError('rate_limited', {
    message: `Too many failed logins from your network. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': seconds },
  });
}
