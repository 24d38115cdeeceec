import { buildRollups, mergeRollups } from '@gw/log-store';
import { describeFault, type Log } from '@gw/web';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { DataSource } from 'typeorm';

/** The longer, the fewer rows are written; what waits meanwhile is read one by one whenever somebody asks. */
const EVERY_MS = 10_000;

/**
 * Merges what was added up into the rollups, now and then, and makes those of hours that are over. Nothing is wrong for its delay; of several
 * workers one does it.
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
