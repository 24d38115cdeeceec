import { GatewayError } from '@gw/kernel';
import { MinuteCounters, type MinuteCounter } from './minute-counters';

const WHOSE = { credential: 'This credential', user: 'This user' } as const;

/** Counts the requests of each caller per minute, in this process. */
export class RequestThrottle {
  private readonly counters = new MinuteCounters();

  /**
   * `limit` is the maximum number of requests per caller and minute; 0 means no limit. `scope`
   * names the kind of caller in the error.
   */
  constructor(
    private readonly limit: number,
    private readonly scope: keyof typeof WHOSE = 'credential',
  ) {}

  /**
   * Counts one request. `caller` is an id, never a secret. Returns the value of the `ratelimit`
   * header; null when there is no limit. Throws `rate_limited` with `Retry-After`.
   */
  admit(caller: string, now = Date.now()): string | null {
    if (this.limit === 0) return null;
    const before = this.counters.get(caller, now);
    if (before !== undefined && before.count >= this.limit) throw this.tooMany(before, now);
    this.counters.add(caller, now);
    const counter = this.counters.get(caller, now);
    return counter === undefined ? null : this.headerOf(counter, now);
  }

  private headerOf({ count, endsAt }: MinuteCounter, now: number): string {
    const { limit } = this;
    const seconds = Math.ceil((endsAt - now) / 1_000);
    return `limit=${String(limit)}, remaining=${String(limit - count)}, reset=${String(seconds)}`;
  }

  /** Describes the limit with the same members as the data plane. */
  private tooMany(counter: MinuteCounter, now: number): GatewayError {
    const { limit, scope } = this;
    const { count: used, endsAt } = counter;
    return new GatewayError('rate_limited', {
      message: `${WHOSE[scope]} has used its ${String(limit)} control-plane requests per minute; wait for the time in Retry-After.`,
      extra: {
        limit: { scope, type: 'requests', limit, used, resets_at: new Date(endsAt).toISOString() },
      },
      headers: {
        'retry-after': String(Math.ceil((endsAt - now) / 1_000)),
        ratelimit: this.headerOf(counter, now),
      },
    });
  }
}
