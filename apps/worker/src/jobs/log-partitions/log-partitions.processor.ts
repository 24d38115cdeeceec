import { logPartitionsJob, type JobProcessor } from '@gw/jobs';
import { Injectable } from '@nestjs/common';
import { LogPartitions } from '../../ingest/log-partitions.service';

/** Safe to run twice: partitions that are there stay as they are. */
@Injectable()
export class LogPartitionsProcessor implements JobProcessor {
  readonly spec = logPartitionsJob;

  constructor(private readonly partitions: LogPartitions) {}

  async process(): Promise<void> {
    await this.partitions.prepareAhead();
  }
}
