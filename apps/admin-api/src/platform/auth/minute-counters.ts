import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
/**
 * Maximum number of counters. The least recently used are dropped first, which can only admit too
 * many requests.
 */
const COUNTERS_MAX = 30_000;

/** Count of one name within its minute. */
export interface MinuteCounter {
  readonly count: number;
  /** End of the minute, in Unix milliseconds. */
  readonly endsAt: number;
}

/** Counters by name, in this process. Each starts again one minute after its first count. */
export class MinuteCounters {
  private readonly counters = new LRUCache<string, { count: number; endsAt: number }>({ max: COUNTERS_MAX });

  /**
   * Returns the counter of a name; undefined when the name has not been counted in the last minute.
   */
  get(name: string, now: number): MinuteCounter | undefined {
    const counter = this.counters.get(name);
    return counter !== undefined && isCurrent(counter, now) ? counter : undefined;
  }

  add(name: string, now: number): void {
    const counter = this.counters.get(name);
    if (counter !== undefined && isCurrent(counter, now)) counter.count += 1;
    else this.counters.set(name, { count: 1, endsAt: now + WINDOW_MS });
  }
}

/** Whether the minute of a counter has not ended. A clock that was set back ends it too. */
const isCurrent = ({ endsAt }: MinuteCounter, now: number): boolean =>
  endsAt > now && endsAt - now <= WINDOW_MS;
