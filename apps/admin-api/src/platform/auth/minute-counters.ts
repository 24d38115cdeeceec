import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
/** Maximum number of counters. The least recently used are dropped first, which can only admit requests too many. */
const COUNTERS_MAX = 30_000;

/** Count of one name in its minute. */
export interface MinuteCounter {
  readonly count: number;
  /** End of the minute, in Unix milliseconds. */
  readonly endsAt: number;
}

/** Counters by name that begin again a minute after their first count, in this process. */
export class MinuteCounters {
  private readonly counters = new LRUCache<string, { count: number; endsAt: number }>({ max: COUNTERS_MAX });

  /** Undefined for a name that has counted nothing in its minute. */
  get(name: string, now: number): MinuteCounter | undefined {
    const known = this.counters.get(name);
    return known !== undefined && known.endsAt > now ? known : undefined;
  }

  add(name: string, now: number): void {
    const known = this.counters.get(name);
    if (known !== undefined && known.endsAt > now) known.count += 1;
    else this.counters.set(name, { count: 1, endsAt: now + WINDOW_MS });
  }
}
