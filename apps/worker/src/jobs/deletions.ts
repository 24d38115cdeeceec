import type { DataSource } from 'typeorm';

/** Maximum number of rows in one statement. */
const BATCH = 5_000;
/** Maximum number of batches in one run; the rest is left for the next run. */
const BATCHES_MAX = 100;

/** The rows to delete, as SQL; `key` lists the columns of the primary key. */
export interface Deletion {
  readonly table: string;
  readonly key: string;
  readonly condition: string;
}

/**
 * Returns SQL that deletes one batch of matching rows, skips locked ones and returns the number of
 * deleted rows.
 */
const statementOf = ({ table, key, condition }: Deletion): string =>
  `WITH deleted_rows AS (
     DELETE FROM ${table} WHERE (${key}) IN
       (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${String(BATCH)} FOR UPDATE SKIP LOCKED)
     RETURNING 1)
   SELECT count(*)::int AS deleted FROM deleted_rows`;

/** Deletes rows in batches; at most half a million rows for each entry of `deletions`. */
export async function deleteInBatches(source: DataSource, deletions: readonly Deletion[]): Promise<void> {
  for (const deletion of deletions) {
    const statement = statementOf(deletion);
    for (let count = 0; count < BATCHES_MAX; count += 1) {
      const [row] = await source.query<{ deleted: number }[]>(statement);
      if ((row?.deleted ?? 0) < BATCH) break;
    }
  }
}
