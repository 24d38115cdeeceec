import { testDatabase } from '@gw/testing';
import { MIGRATIONS } from './data-source';

describe('the schema', () => {
  const database = testDatabase();

  it('is made by the migrations exactly as the entities describe it, so no drift goes unseen', async () => {
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can be taken down by the migrations and built again, so a failed release can go back', async () => {
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
