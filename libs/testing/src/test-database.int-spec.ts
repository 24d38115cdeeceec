import { testDatabase } from './test-database';

const first = testDatabase();
const second = testDatabase({ empty: true });

describe('testDatabase', () => {
  it('creates a migrated database', async () => {
    expect(await first.dataSource.showMigrations()).toBe(false);
    expect(await first.dataSource.query('SELECT count(*)::int AS n FROM migrations')).not.toEqual([{ n: 0 }]);
  });

  it('creates a separate database for each call', async () => {
    await first.dataSource.query('CREATE TABLE mine (id int)');
    expect(await second.dataSource.query("SELECT to_regclass('mine') AS found")).toEqual([{ found: null }]);
  });
});
