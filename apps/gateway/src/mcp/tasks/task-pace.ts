import { GatewayError } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import { Denied } from '../denials';

/**
 * Maximum reads of one task per second. Responses ask clients to poll once a second; some poll more
 * often.
 */
const PER_SECOND_MAX = 5;
const TASKS_MAX = 10_000;

/** Bounds how often one task is read. */
export class TaskPace {
  private readonly reads = new LRUCache<string, { count: number }>({ max: TASKS_MAX, ttl: 1_000 });

  /** Counts a read of a task. Throws a denial when the task is read too often. */
  take(id: string): void {
    const reads = this.reads.get(id);
    if (reads === undefined) this.reads.set(id, { count: 1 });
    else if (reads.count >= PER_SECOND_MAX) throw tooOften();
    else reads.count += 1;
  }
}

const tooOften = (): Denied =>
  new Denied(
    {
      ...{ kind: 'rate_limit', policyId: null, retryAfterMs: 1_000 },
      limit: { value: PER_SECOND_MAX, unit: 'reads of a task per second' },
    },
    new GatewayError('rate_limited'),
  );
