import { dayOf, ensureLogPartitions } from '@gw/log-store';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Days ahead of today that have partitions before anything is written to them. */
const DAYS_AHEAD = 2;
/** A clock that is ahead by more is wrong. */
const AHEAD_MAX_MS = 86_400_000;
const DAYS_BACK_MAX = 366;

/** Knows which days have partitions, and makes those that are missing. */
@Injectable()
export class LogPartitions {
  /** At most one entry per day that is accepted, and those of past days of this process. */
  private readonly known = new Set<number>();

  constructor(
    private readonly source: DataSource,
    private readonly retentionDays = DAYS_BACK_MAX,
  ) {}

  /** False for a time that no record can have: more than a day ahead, or so old that it would be removed at once. */
  accepts(createdAt: Date): boolean {
    const oldest = dayOf(new Date()) - Math.min(DAYS_BACK_MAX, this.retentionDays);
    return dayOf(createdAt) >= oldest && createdAt.getTime() <= Date.now() + AHEAD_MAX_MS;
  }

  /** Today and the days ahead. */
  async prepareAhead(): Promise<void> {
    const today = dayOf(new Date());
    const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, i) => today + i);
    await this.make(days);
  }

  async ensure(days: ReadonlySet<number>): Promise<void> {
    const missing = [...days].filter((day) => !this.known.has(day));
    if (missing.length > 0) await this.make(missing);
  }

  /** A partition that was known has gone, as retention drops them. */
  forget(): void {
    this.known.clear();
  }

  private async make(days: readonly number[]): Promise<void> {
    await ensureLogPartitions(this.source, days);
    for (const day of days) this.known.add(day);
  }
}
