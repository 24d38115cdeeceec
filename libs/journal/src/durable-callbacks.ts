import type { RateLimitedReport } from './rate-limited-report';

/**
 * Runs the callbacks of records once the records are durable: in the page cache or, with `sync`, on
 * the disk.
 */
export class DurableCallbacks {
  private waiting: (() => void)[] = [];
  private isSyncing = false;

  constructor(
    private readonly problems: RateLimitedReport,
    /**
     * Flushes written records from the page cache to the disk; null if the page cache is durable
     * enough.
     */
    private readonly sync: (() => Promise<void>) | null,
  ) {}

  add(callback: () => void): void {
    this.waiting.push(callback);
  }

  /** Marks all callbacks added so far as written. */
  written(): void {
    if (this.sync === null) this.runAll();
    else if (!this.isSyncing) void this.syncAll(this.sync);
  }

  runAll(): void {
    const callbacks = this.waiting;
    this.waiting = [];
    this.run(callbacks);
  }

  /**
   * Runs one sync at a time; records that are written meanwhile share the next one. Never rejects.
   * A failed sync is reported, and its callbacks run all the same.
   */
  private async syncAll(sync: () => Promise<void>): Promise<void> {
    this.isSyncing = true;
    while (this.waiting.length > 0) {
      const callbacks = this.waiting;
      this.waiting = [];
      try {
        await sync();
      } catch (error) {
        this.problems.add('sync', 1, `The journal could not be synced: ${String(error)}`);
      }
      this.run(callbacks);
    }
    this.isSyncing = false;
  }

  private run(callbacks: readonly (() => void)[]): void {
    for (const callback of callbacks) {
      try {
        callback();
      } catch (error) {
        this.problems.add('callback', 1, `A callback of the journal failed: ${String(error)}`);
      }
    }
  }
}
