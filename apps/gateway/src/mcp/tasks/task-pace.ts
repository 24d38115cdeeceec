import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import { Denied } from '../denials';

/**
 * Maximum reads of one task, and lists of one caller, per second. Responses ask clients to poll
 * once a second; some poll more often.
 */
const PER_SECOND_MAX = 5;
const TASKS_MAX = 10_000;

/** Bounds how often one task is read, and how often one caller lists tasks. */
export class TaskPace {
  private readonly reads = new LRUCache<string, { count: number }>({ max: TASKS_MAX, ttl: 1_000 });

  /** Counts a read of a task. Throws a denial when the task is read too often. */
  takeRead(id: string): void {
    this.take(id, 'reads of a task per second');
  }

  /**
   * Counts a list of a caller, which reads up to 20 tasks at their servers. Throws a denial when the
   * caller lists too often.
   */
  takeList(binding: string): void {
    this.take(`list/${binding}`, 'lists of tasks per second');
  }

  private take(key: string, unit: string): void {
    const reads = this.reads.get(key);
    if (reads === undefined) this.reads.set(key, { count: 1 });
    else if (reads.count >= PER_SECOND_MAX) throw tooOften(unit);
    else reads.count += 1;
  }
}

const tooOften = (unit: string): Denied =>
  new Denied(
    {
      ...{ kind: 'rate_limit', policyId: null, retryAfterMs: 1_000 },
      limit: { value: PER_SECOND_MAX, unit },
    },
    new GatewayError('rate_limited'),
  );
