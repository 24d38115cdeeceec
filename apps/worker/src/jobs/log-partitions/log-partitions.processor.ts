import { logPartitionsJob, type JobProcessor } from '@gw/jobs';
import { Injectable } from '@nestjs/common';
import { LogPartitions } from '../../ingest/log-partitions.service';

/** Creates missing partitions. Safe to run twice: existing partitions stay unchanged. */
@Injectable()
export class LogPartitionsProcessor implements JobProcessor {
  readonly spec = logPartitionsJob;

  constructor(private readonly partitions: LogPartitions) {}

  async process(): Promise<void> {
    await this.partitions.prepareAhead();
  }
}
