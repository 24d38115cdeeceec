import { rollupsJob, type JobProcessor } from '@gw/jobs';
import { dropOldRollups, dropOldSpans } from '@gw/log-store';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Deletes old rollups. Safe to run twice: deleted rows are not found again. */
@Injectable()
export class RollupsProcessor implements JobProcessor {
  readonly spec = rollupsJob;

  constructor(private readonly source: DataSource) {}

  async process(): Promise<void> {
    await dropOldRollups(this.source, new Date());
    await dropOldSpans(this.source, new Date());
  }
}
