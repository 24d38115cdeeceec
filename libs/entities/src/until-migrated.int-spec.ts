import { eventually, testDatabase } from '@gw/testing';
import { untilMigrated } from './until-migrated';

describe('untilMigrated', () => {
  const database = testDatabase();

  /** Starts to wait and then runs `release`. Returns how often `onWait` was called. */
  async function waitedFor(release: () => Promise<unknown>): Promise<number> {
    let reports = 0;
    let isOver = false;
    const waiting = untilMigrated(database.dataSource, () => (reports += 1)).then(() => (isOver = true));
    await eventually(() => reports > 0);
    expect(isOver).toBe(false);
    await release();
    await waiting;
    return reports;
  }

  it('resolves immediately when every migration is applied, and those of a newer build', async () => {
    const query = (sql: string) => database.dataSource.query(sql);
    await query(`INSERT INTO migrations ("timestamp", name) VALUES (99, 'OfANewerBuild99')`);
    let reports = 0;
    await untilMigrated(database.dataSource, () => (reports += 1));
    expect(reports).toBe(0);
    await query(`DELETE FROM migrations WHERE name = 'OfANewerBuild99'`);
  });

  it('waits for the last migration, and for the migrations table', async () => {
    const query = (sql: string) => database.dataSource.query(sql);
    await query('CREATE TABLE migrations_kept AS SELECT * FROM migrations');
    await query('DELETE FROM migrations WHERE "timestamp" = (SELECT max("timestamp") FROM migrations)');
    const restored = (): Promise<unknown> =>
      query('INSERT INTO migrations SELECT * FROM migrations_kept EXCEPT SELECT * FROM migrations');
    expect(await waitedFor(restored)).toBe(1);
    await query('ALTER TABLE migrations RENAME TO migrations_away');
    expect(await waitedFor(() => query('ALTER TABLE migrations_away RENAME TO migrations'))).toBe(1);
    await query('DROP TABLE migrations_kept');
  });
});
