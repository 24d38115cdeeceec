import type { DataSource } from 'typeorm';

/** Maximum number of rows in one statement. */
const BATCH = 5_000;
/** Maximum number of batches in one run; the rest is left for the next run. */
const BATCHES_MAX = 100;

/** Rows to delete; `key`: the columns of the primary key. All three are SQL. */
export interface Deletion {
  readonly table: string;
  readonly key: string;
  readonly condition: string;
}

/** Deletes rows that match a condition, except those that a request has locked. Responds with their number. */
const statementOf = ({ table, key, condition }: Deletion): string =>
  `WITH gone AS (
     DELETE FROM ${table} WHERE (${key}) IN
       (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${String(BATCH)} FOR UPDATE SKIP LOCKED)
     RETURNING 1)
   SELECT count(*)::int AS deleted FROM gone`;

/** Deletes rows in bounded batches, half a million of each kind at most. */
export async function deleteInBatches(source: DataSource, deletions: readonly Deletion[]): Promise<void> {
  for (const deletion of deletions) {
    const statement = statementOf(deletion);
    for (let count = 0; count < BATCHES_MAX; count += 1) {
      const [row] = await source.query<{ deleted: number }[]>(statement);
      if ((row?.deleted ?? 0) < BATCH) break;
    }
  }
}
