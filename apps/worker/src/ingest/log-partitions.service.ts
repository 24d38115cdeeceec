import { dayOf, ensureLogPartitions } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Days ahead of today that have partitions before anything is written to them. */
const DAYS_AHEAD = 2;
/** Records of other days are refused: their clock is wrong, and each day costs two tables. */
const DAYS_BACK_MAX = 366;

/** Knows which days have partitions, and makes those that are missing. */
@Injectable()
export class LogPartitions {
  /** At most one entry per day that is accepted, and those of past days of this process. */
  private readonly known = new Set<number>();

  /** Records that would be removed at once are not taken either. */
  constructor(
    private readonly source: DataSource,
    private readonly retentionDays = DAYS_BACK_MAX,
  ) {}

  accepts(day: number): boolean {
    const today = dayOf(new Date());
    return day >= today - Math.min(DAYS_BACK_MAX, this.retentionDays) && day <= today + DAYS_AHEAD;
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
