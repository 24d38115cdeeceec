import { GatewayError, networkOf } from '@gw/kernel';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 5 * 60_000;
/** Number of wrong passwords for one user from one network before each further one adds a wait. */
const FREE_FAILURES = 5;
/**
 * Maximum failures of one network within the window, for all users together. One network may be an
 * office of many users.
 */
const NETWORK_FAILURES_MAX = 100;
/**
 * Maximum number of counters of each kind. The least recently used are dropped first, which can
 * only admit too many attempts.
 */
const COUNTERS_MAX = 30_000;

interface Counter {
  failures: number;
  /** Time before which no attempt is admitted, in Unix milliseconds. */
  notBefore: number;
  readonly endsAt: number;
}

/**
 * Slows down password guessing in this process without locking out any user. The wait doubles with
 * each wrong password for one user from one network: 1 s after the sixth, at most 5 minutes. The
 * user can still log in from any other network. A network with many failures gets no further
 * attempts, except for users who have logged in from it before. `PasswordGate` bounds guesses from
 * many networks.
 */
export class LoginThrottle {
  private readonly pairs = new LRUCache<string, Counter>({ max: COUNTERS_MAX });
  private readonly networks = new LRUCache<string, Counter>({ max: COUNTERS_MAX });
  /** Network and user pairs with a successful login. */
  private readonly known = new LRUCache<string, true>({ max: COUNTERS_MAX });

  /**
   * Counts an attempt as failed before the password is checked, so that concurrent attempts count
   * too; `succeeded` and `unchecked` revert that. Throws `rate_limited` with `Retry-After`.
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
      // The counter outlives the wait; otherwise the doubling would start again.
      this.pairs.set(name, { ...pair, notBefore: now + waitMs, endsAt: now + waitMs + WINDOW_MS });
    }
  }

  /** Reverts the count of an attempt whose password was not checked. A wait stays. */
  unchecked(address: string, email: string): void {
    const network = networkOf(address);
    for (const counter of [this.pairs.get(`${network} ${email}`), this.networks.get(network)])
      if (counter) counter.failures -= 1;
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
  const counter = counters.get(name);
  // A counter ends at most two windows from now, unless the clock was set back.
  if (counter && counter.endsAt > now && counter.endsAt - now <= 2 * WINDOW_MS) return counter;
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
