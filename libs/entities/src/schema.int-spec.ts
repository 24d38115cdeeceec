import { testDatabase } from '@gw/testing';
import { MIGRATIONS } from './data-source';

describe('MIGRATIONS', () => {
  const database = testDatabase();

  it('create exactly the schema that the entities describe', async () => {
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can be reverted completely and applied again, so that a failed release can be rolled back', async () => {
    const { dataSource } = database;
    for (let left = MIGRATIONS.length; left > 0; left -= 1) await dataSource.undoLastMigration();
    const tables = await dataSource.query<unknown[]>(
      `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'migrations'`,
    );
    expect(tables).toEqual([]);
    await dataSource.runMigrations();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries).toEqual([]);
  });
});
