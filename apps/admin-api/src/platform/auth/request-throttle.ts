import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
/** Maximum number of counters. The least recently used are dropped first, which can only admit requests too many. */
const COUNTERS_MAX = 30_000;

interface Counter {
  used: number;
  readonly endsAt: number;
}

/** Counts the requests of each credential per minute, in this process. */
export class RequestThrottle {
  private readonly counters = new LRUCache<string, Counter>({ max: COUNTERS_MAX });

  /** `limit`: requests per credential and minute; 0 means no limit. */
  constructor(private readonly limit: number) {}

  /** Counts one request. `credential` is an id, never a secret. Throws `rate_limited` with `Retry-After`. */
  admit(credential: string, now = Date.now()): void {
    if (this.limit === 0) return;
    const known = this.counters.get(credential);
    if (!known || known.endsAt <= now) {
      this.counters.set(credential, { used: 1, endsAt: now + WINDOW_MS });
      return;
    }
    if (known.used >= this.limit) throw tooMany(this.limit, known, now);
    known.used += 1;
  }
}

/** Describes the limit with the same members as the data plane. */
function tooMany(limit: number, { used, endsAt }: Counter, now: number): GatewayError {
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
