import { setTimeout as delay } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { sqlStateOf } from './sql-state';

const INTERVAL_MS = 100;
const UNDEFINED_TABLE = '42P01';

/**
 * Resolves once another process has applied all migrations of this build. A database of a newer
 * build counts as migrated. Calls `onWait` once if it must wait, without a time limit. Rejects if
 * the database cannot be read.
 */
export async function untilMigrated(dataSource: DataSource, onWait: () => void): Promise<void> {
  for (let isFirst = true; !(await isMigrated(dataSource)); isFirst = false) {
    if (isFirst) onWait();
    await delay(INTERVAL_MS);
  }
}

async function isMigrated(dataSource: DataSource): Promise<boolean> {
  try {
    const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migrations');
    const applied = new Set(rows.map(({ name }) => name));
    return dataSource.migrations.every(({ name }) => name !== undefined && applied.has(name));
  } catch (error) {
    if (sqlStateOf(error) === UNDEFINED_TABLE) return false;
    throw error;
  }
}
