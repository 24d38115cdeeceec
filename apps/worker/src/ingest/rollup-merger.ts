import { buildRollups, mergeRollups } from '@gw/log-store';
import { describeFault, type Log } from '@gw/web';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { DataSource } from 'typeorm';

/**
 * Interval between merges in milliseconds. Longer intervals write fewer rows; queries read unmerged
 * requests one by one.
 */
const EVERY_MS = 10_000;

/**
 * Periodically merges new usage into the rollups and builds the rollups of completed hours. A delay
 * affects no result; one of several workers does the work at a time.
 */
export class RollupMerger implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  constructor(
    private readonly source: DataSource,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running ??= this.merge().finally(() => (this.running = null));
    }, EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.running;
  }

  private async merge(): Promise<void> {
    try {
      await mergeRollups(this.source);
      await buildRollups(this.source, new Date());
    } catch (error) {
      this.log.warn(describeFault(error), 'failed to merge usage into rollups; retrying later');
    }
  }
}
