import type { ChangeEvent } from '@gw/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Events are kept for a day, and at most this many. */
const KEPT_MAX = 100_000;
const KEPT_FOR = '24 hours';
const PRUNE_BATCH = 5_000;
/** A prune stops after this many batches; the next one goes on. */
const PRUNE_BATCHES_MAX = 40;

interface OutboxRow {
  readonly sequence: string;
  readonly changed: string[];
  readonly removed: string[];
}

/** The queries of the outbox table. */
@Injectable()
export class Outbox {
  constructor(private readonly dataSource: DataSource) {}

  /** The newest committed sequence; 0 when nothing was ever recorded. */
  async newest(): Promise<number> {
    const [row] = await this.dataSource.query<[{ newest: string }]>(
      'SELECT coalesce(max(sequence), 0) AS newest FROM change_events',
    );
    return Number(row.newest);
  }

  /** The events after a sequence, oldest first, at most `limit`. */
  async after(sequence: number, limit: number): Promise<ChangeEvent[]> {
    const rows = await this.dataSource.query<OutboxRow[]>(
      'SELECT sequence, changed, removed FROM change_events WHERE sequence > $1 ORDER BY sequence LIMIT $2',
      [sequence, limit],
    );
    let previous = sequence;
    return rows.map((row) => {
      const event: ChangeEvent = {
        type: 'change',
        sequence: Number(row.sequence),
        previous,
        changed: row.changed,
        removed: row.removed,
      };
      previous = event.sequence;
      return event;
    });
  }

  /**
   * Whether every event after `sequence` is still kept. A sequence that was never committed (of another database, or newer
   * than this one) is not followed by what its holder missed.
   */
  async reaches(sequence: number): Promise<boolean> {
    const [row] = await this.dataSource.query<[{ reaches: boolean }]>(
      `SELECT EXISTS (SELECT FROM change_events WHERE sequence = $1)
         OR ($1 = 0 AND coalesce((SELECT min(sequence) FROM change_events), 1) = 1) AS reaches`,
      [sequence],
    );
    return row.reaches;
  }

  /** Deletes what is kept too long, in small statements; the newest event always stays. Returns how many. */
  async prune(): Promise<number> {
    let deleted = 0;
    for (let batch = 0; batch < PRUNE_BATCHES_MAX; batch += 1) {
      const [, count] = await this.dataSource.query<[unknown, number]>(
        `DELETE FROM change_events WHERE sequence IN (
           SELECT sequence FROM change_events
           WHERE sequence < (SELECT max(sequence) FROM change_events)
             AND (created_at < now() - $1::interval
               OR sequence <= (SELECT max(sequence) FROM change_events) - $2::bigint)
           ORDER BY sequence LIMIT $3)`,
        [KEPT_FOR, KEPT_MAX, PRUNE_BATCH],
      );
      deleted += count;
      if (count < PRUNE_BATCH) break;
    }
    return deleted;
  }
}
