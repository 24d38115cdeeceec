import { zoneMapsJob, type JobProcessor } from '@gw/jobs';
import { unzonedDays, zoneDay } from '@gw/log-store';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/**
 * Builds missing zone maps. Safe to run twice: zone maps only grow, and a day is complete once it
 * contains all of its logs.
 */
@Injectable()
export class ZoneMapsProcessor implements JobProcessor {
  readonly spec = zoneMapsJob;

  constructor(private readonly source: DataSource) {}

  async process(): Promise<void> {
    for (const day of await unzonedDays(this.source)) await zoneDay(this.source, day);
  }
}
