import type { RateLimitedReport } from './rate-limited-report';

/** Callbacks of records, which run once the records are as durable as the journal makes them. */
export class DurableCallbacks {
  private waiting: (() => void)[] = [];
  private isSyncing = false;

  constructor(
    private readonly problems: RateLimitedReport,
    /** Brings to the disk itself what was written; null: the page cache is enough. */
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

  /** One sync at a time: what is written meanwhile shares the next one. Never rejects. */
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
