import { GatewayError } from '@gw/kernel';
import { MinuteCounters, type MinuteCounter } from './minute-counters';

/** Counts the requests of each credential per minute, in this process. */
export class RequestThrottle {
  private readonly counters = new MinuteCounters();

  /** `limit`: requests per credential and minute; 0 means no limit. */
  constructor(private readonly limit: number) {}

  /** Counts one request. `credential` is an id, never a secret. Throws `rate_limited` with `Retry-After`. */
  admit(credential: string, now = Date.now()): void {
    if (this.limit === 0) return;
    const known = this.counters.get(credential, now);
    if (known !== undefined && known.count >= this.limit) throw tooMany(this.limit, known, now);
    this.counters.add(credential, now);
  }
}

/** Describes the limit with the same members as the data plane. */
function tooMany(limit: number, { count: used, endsAt }: MinuteCounter, now: number): GatewayError {
  const seconds = String(Math.ceil((endsAt - now) / 1_000));
  return new GatewayError('rate_limited', {
    message: `This credential has used its ${String(limit)} control-plane requests per minute; wait for the time in Retry-After.`,
    extra: {
      limit: {
        scope: 'credential',
        type: 'requests',
        limit,
        used,
        resets_at: new Date(endsAt).toISOString(),
      },
    },
    headers: { 'retry-after': seconds, ratelimit: `limit=${String(limit)}, remaining=0, reset=${seconds}` },
  });
}
