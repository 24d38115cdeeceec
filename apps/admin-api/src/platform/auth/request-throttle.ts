import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
/** Counters kept; the least used ones are dropped first, which only ever admits a request too many. */
const COUNTERS_MAX = 30_000;

interface Counter {
  used: number;
  readonly endsAt: number;
}

/** Counts the requests of each credential, a minute at a time, in this process. */
export class RequestThrottle {
  private readonly counters = new LRUCache<string, Counter>({ max: COUNTERS_MAX });

  /** `limit` requests of one credential in a minute; 0: no limit. */
  constructor(private readonly limit: number) {}

  /** Counts one request. Throws `rate_limited` with `Retry-After`. `credential`: an id, never a secret. */
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

/** Names the limit as the data plane does. */
function tooMany(limit: number, { used, endsAt }: Counter, now: number): GatewayError {
  const seconds = String(Math.ceil((endsAt - now) / 1_000));
  return new GatewayError('rate_limited', {
    message: `A credential may make ${String(limit)} requests to the control plane in a minute.`,
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
