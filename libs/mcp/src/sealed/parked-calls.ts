import { MINUTE_MS } from '@gw/kernel';

/** Result of looking up the call of a parked state. */
export type Redeemed<T> =
  | { readonly kind: 'found'; readonly call: T }
  /** An earlier retry has redeemed the call. */
  | { readonly kind: 'answered' }
  /** The call expired, or its process has ended. */
  | { readonly kind: 'gone' };

interface Entry<T> {
  readonly call: T;
  readonly principal: string;
  readonly expiresAt: number;
  isRedeemed: boolean;
}

/** Maximum number of parked calls of a process. */
export const PARKED_MAX = 100;
const PARKED_OF_PRINCIPAL_MAX = 5;
const LIFETIME_MS = 10 * MINUTE_MS;
/** Number of redeemed entries that are kept in addition, to recognise a second retry. */
const REMEMBERED_MAX = 1_000;

/**
 * Holds the calls of this process that wait for input from a modern client while the stream to
 * their legacy upstream stays open: at most 100, at most five of one principal, for ten minutes
 * each. Times are milliseconds since 1970.
 */
export class ParkedCalls<T> {
  private readonly entries = new Map<string, Entry<T>>();

  /** `onExpired` is called with each call that has waited for too long. */
  constructor(private readonly onExpired: (call: T) => void = () => undefined) {}

  /** Parks a call under an id. Returns false when there is no room. */
  park(id: string, principal: string, call: T, now: number): boolean {
    this.expire(now);
    const waiting = [...this.entries.values()].filter(({ isRedeemed }) => !isRedeemed);
    const own = waiting.filter((entry) => entry.principal === principal).length;
    if (waiting.length >= PARKED_MAX || own >= PARKED_OF_PRINCIPAL_MAX) return false;
    this.entries.set(id, { call, principal, expiresAt: now + LIFETIME_MS, isRedeemed: false });
    return true;
  }

  /**
   * Removes and returns the principal's call that has waited longest, to make room for another;
   * null when none waits.
   */
  displace(principal: string): T | null {
    for (const [id, entry] of this.entries) {
      if (entry.isRedeemed || entry.principal !== principal) continue;
      this.entries.delete(id);
      return entry.call;
    }
    return null;
  }

  /** Returns a call to its retry. Only the first retry finds it, so that nothing runs twice. */
  redeem(id: string, principal: string, now: number): Redeemed<T> {
    this.expire(now);
    const entry = this.entries.get(id);
    if (entry?.principal !== principal) return { kind: 'gone' };
    if (entry.isRedeemed) return { kind: 'answered' };
    entry.isRedeemed = true;
    return { kind: 'found', call: entry.call };
  }

  /**
   * Removes expired calls and returns those that still waited, so that their streams can be closed.
   */
  expire(now: number): readonly T[] {
    const expired: T[] = [];
    for (const [id, entry] of this.entries) {
      const isOld = now >= entry.expiresAt || (entry.isRedeemed && this.entries.size > REMEMBERED_MAX);
      if (!isOld) continue;
      this.entries.delete(id);
      if (entry.isRedeemed) continue;
      expired.push(entry.call);
      this.onExpired(entry.call);
    }
    return expired;
  }
}

/** Texts of the tool errors for calls that cannot continue. */
export const PARKED_TEXTS: Readonly<Record<'answered' | 'gone', string>> = {
  answered: 'This request was already answered; call the tool again.',
  gone: 'The call was interrupted; call the tool again.',
};
