import { logZonesJob, type JobProcessor } from '@gw/jobs';
import { unzonedDays, zoneDay } from '@gw/log-store';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Safe to run twice: zones only grow, and a day is done once all of its logs are in them. */
@Injectable()
export class LogZonesProcessor implements JobProcessor {
  readonly spec = logZonesJob;

  constructor(private readonly source: DataSource) {}

  async process(): Promise<void> {
    for (const day of await unzonedDays(this.source)) await zoneDay(this.source, day);
  }
}
