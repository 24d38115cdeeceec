import type { ChangeEvent } from '@gw/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Maximum number of stored events. Events older than `KEPT_FOR` are deleted too. */
const KEPT_MAX = 100_000;
const KEPT_FOR = '24 hours';
const PRUNE_BATCH = 5_000;
/** Maximum number of batches of one prune; the next prune continues. */
const PRUNE_BATCHES_MAX = 40;

interface OutboxRow {
  readonly sequence: string;
  readonly changed: string[];
  readonly removed: string[];
}

/** Queries of the outbox table. */
@Injectable()
export class Outbox {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the newest committed sequence; 0 when no event was ever recorded. */
  async newest(): Promise<number> {
    const [row] = await this.dataSource.query<[{ newest: string }]>(
      'SELECT coalesce(max(sequence), 0) AS newest FROM change_events',
    );
    return Number(row.newest);
  }

  /** Returns the events after a sequence, oldest first, at most `limit`. */
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
   * Returns whether every event after `sequence` is still stored. False for a sequence that was
   * never committed in this database, such as one of another database, because the missed events
   * are unknown.
   */
  async reaches(sequence: number): Promise<boolean> {
    const [row] = await this.dataSource.query<[{ reaches: boolean }]>(
      `SELECT EXISTS (SELECT FROM change_events WHERE sequence = $1)
         OR ($1 = 0 AND coalesce((SELECT min(sequence) FROM change_events), 1) = 1) AS reaches`,
      [sequence],
    );
    return row.reaches;
  }

  /**
   * Deletes old events in small batches, except the newest event. Returns the number of deleted
   * events.
   */
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
