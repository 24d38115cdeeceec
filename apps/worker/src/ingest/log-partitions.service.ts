import { DAY_MS } from '@gw/kernel';
import { dayOf, ensureLogPartitions } from '@gw/log-store';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Number of days ahead of today that get partitions in advance. */
const DAYS_AHEAD = 2;
/** Maximum lead of a record's clock; a clock further ahead is wrong. */
const AHEAD_MAX_MS = DAY_MS;
/** Maximum age of a record in days, also where logs are kept for longer. */
const DAYS_BACK_MAX = 366;

/** Tracks which days have partitions, and creates missing ones. */
@Injectable()
export class LogPartitions {
  /** Days with partitions: at most one entry per accepted day, and past days of this process. */
  private readonly known = new Set<number>();

  constructor(
    private readonly source: DataSource,
    private readonly retentionDays = DAYS_BACK_MAX,
  ) {}

  /**
   * Returns false for an implausible time: more than a day ahead, more than 366 days old, or so old
   * that retention would remove it at once.
   */
  accepts(createdAt: Date): boolean {
    return dayOf(createdAt) >= this.oldestDay() && createdAt.getTime() <= Date.now() + AHEAD_MAX_MS;
  }

  /**
   * Returns whether `accepts` may have returned the opposite for this time at an earlier delivery:
   * the time was too far ahead within the last half day, or its day was accepted until today.
   */
  isAtBound(createdAt: Date): boolean {
    const leadMs = createdAt.getTime() - Date.now();
    const wasTooFarAhead = leadMs <= AHEAD_MAX_MS && leadMs > AHEAD_MAX_MS / 2;
    return wasTooFarAhead || dayOf(createdAt) === this.oldestDay() - 1;
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

  /** Forgets which partitions exist, because retention has dropped some. */
  forget(): void {
    this.known.clear();
  }

  private oldestDay(): number {
    return dayOf(new Date()) - Math.min(DAYS_BACK_MAX, this.retentionDays);
  }

  private async make(days: readonly number[]): Promise<void> {
    await ensureLogPartitions(this.source, days);
    for (const day of days) this.known.add(day);
  }
}
