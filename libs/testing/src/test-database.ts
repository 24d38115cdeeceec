import { dataSourceOptions } from '@gw/entities';
import { Client } from 'pg';
import { DataSource } from 'typeorm';

import { TEST_DATABASE_RUN, TEST_DATABASE_URL } from './jest/names';

export interface TestDatabase {
  /** `postgres://…` URL of a database that only this suite uses. */
  readonly url: string;
  /** Connected data source with all entities. */
  readonly dataSource: DataSource;
}

let created = 0;
/**
 * Test file that created the last database; the test files of one Jest worker share this module.
 */
let createdBy: string | undefined;

/**
 * Creates a private database for the suite, migrated unless `empty`. Call it at the top level of a
 * `describe` or a file; the members may be read from the first hook or test on. The next suite of
 * this process drops the database, or it goes with the server. Hooks run in the order of their
 * declaration, so clients of the suite may be closed only after the hook here.
 */
export function testDatabase(options: { readonly empty?: boolean } = {}): TestDatabase {
  let database: (TestDatabase & { drop(): Promise<void> }) | undefined;
  beforeAll(async () => {
    database = await createTestDatabase(options);
  });
  afterAll(async () => {
    if (database?.dataSource.isInitialized === true) await database.dataSource.destroy();
  });
  const current = (): TestDatabase => {
    if (!database)
      throw new Error('The test database exists from beforeAll on; read it in a test or a hook.');
    return database;
  };
  return {
    get url() {
      return current().url;
    },
    get dataSource() {
      return current().dataSource;
    },
  };
}

/**
 * Creates a private database without hooks. The caller must call `drop`, which also closes open
 * connections.
 */
export async function createTestDatabase(
  options: { readonly empty?: boolean } = {},
): Promise<TestDatabase & { drop(): Promise<void> }> {
  const server = serverOfThisRun();
  const template = options.empty === true ? 'template0' : await migratedTemplate(server);
  const prefix = `test_${server.run}_${String(process.pid)}_`;
  const { testPath } = expect.getState();
  if (testPath !== createdBy) await dropEarlierDatabases(server.url, prefix);
  createdBy = testPath;
  const name = `${prefix}${String((created += 1))}`;
  await execute(server.url, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = urlOf(server.url, name);
  const dataSource = dataSourceOf(url, 5);
  await dataSource.initialize();
  return {
    url,
    dataSource,
    drop: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await execute(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** Drops the databases of earlier test files of this process. */
async function dropEarlierDatabases(url: string, prefix: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

interface Server {
  readonly url: string;
  readonly run: string;
}

function serverOfThisRun(): Server {
  const { [TEST_DATABASE_URL]: url, [TEST_DATABASE_RUN]: run } = process.env;
  if (!url || !run)
    throw new Error('No Postgres for tests: name the file *.int-spec.ts and use jest.int.cjs.');
  return { url, run };
}

/**
 * Returns the name of a migrated template database. The first suite of a run creates it; concurrent
 * suites wait for it.
 */
async function migratedTemplate({ url, run }: Server): Promise<string> {
  const name = `template_${run}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) {
      // The template has another name until it is complete, so that a suite whose migration failed
      // leaves no incomplete template.
      const partial = `${name}_partial`;
      await client.query(`DROP DATABASE IF EXISTS ${partial} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${partial} TEMPLATE template0`);
      await migrate(urlOf(url, partial));
      await client.query(`ALTER DATABASE ${partial} RENAME TO ${name}`);
    }
    return name;
  } finally {
    await client.end();
  }
}

async function migrate(url: string): Promise<void> {
  const source = dataSourceOf(url, 1);
  await source.initialize();
  try {
    await source.runMigrations();
  } finally {
    await source.destroy();
  }
}

/** On a busy machine this process may get no time for seconds, so it waits longer than products. */
const dataSourceOf = (url: string, poolSize: number): DataSource =>
  new DataSource(dataSourceOptions({ url, poolSize, applicationName: 'test', connectTimeoutMs: 60_000 }));

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.toString();
}
