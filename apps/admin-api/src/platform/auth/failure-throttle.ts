import { GatewayError } from '@gw/kernel';
import { MinuteCounters } from './minute-counters';

/** Counts failed or anonymous requests by source, such as a network, in this process. */
export class FailureThrottle {
  private readonly counters = new MinuteCounters();

  /** `limit` is the maximum number of requests of one source per minute. */
  constructor(private readonly limit: number) {}

  /** Throws `rate_limited` with `Retry-After` when the source has too many requests. */
  assertOpen(source: string, now = Date.now()): void {
    const counter = this.counters.get(source, now);
    if (counter === undefined || counter.count < this.limit) return;
    throw new GatewayError('rate_limited', {
      headers: { 'retry-after': String(Math.ceil((counter.endsAt - now) / 1_000)) },
    });
  }

  /** Counts a request unless the source has reached the limit. Returns whether it was counted. */
  countIfOpen(source: string, now = Date.now()): boolean {
    if ((this.counters.get(source, now)?.count ?? 0) >= this.limit) return false;
    this.count(source, now);
    return true;
  }

  count(source: string, now = Date.now()): void {
    this.counters.add(source, now);
  }
}
