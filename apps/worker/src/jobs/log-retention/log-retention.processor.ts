import { logRetentionJob, type JobProcessor } from '@gw/jobs';
import { DAY_MS } from '@gw/kernel';
import {
  bodyFolder,
  dayOf,
  dropLogPartition,
  logPartitionDays,
  removeOldFeedback,
  removeOldSkewed,
} from '@gw/log-store';
import type { ObjectStore } from '@gw/object-store';
import { describeFault, type Log } from '@gw/web';
import type { DataSource } from 'typeorm';
import type { LogPartitions } from '../../ingest/log-partitions.service';

/**
 * Deletes whole days of logs, first the bodies that their rows reference, then the rows; then the
 * feedback of these days. Safe to run twice; the next run deletes what a crashed run left.
 */
export class LogRetentionProcessor implements JobProcessor {
  readonly spec = logRetentionJob;

  constructor(
    private readonly source: DataSource,
    private readonly partitions: LogPartitions,
    private readonly bodies: ObjectStore | null,
    private readonly retentionDays: number,
    private readonly log: Log,
  ) {}

  async process(): Promise<void> {
    const oldest = dayOf(new Date()) - this.retentionDays;
    for (const day of await logPartitionDays(this.source.manager)) {
      if (day >= oldest) break;
      await this.bodies?.removeFolder(bodyFolder(day));
      try {
        await dropLogPartition(this.source, day);
      } catch (error) {
        // Usually a reader locks the partition for longer than the lock timeout of five seconds;
        // the next run starts within an hour.
        this.log.warn({ day, ...describeFault(error) }, 'failed to remove a day of logs; retrying later');
        return;
      }
      this.partitions.forget();
    }
    await removeOldFeedback(this.source.manager, new Date(oldest * DAY_MS));
    await removeOldSkewed(this.source.manager, new Date(oldest * DAY_MS));
  }
}
