import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EmbeddedPostgres } from '@gw/embedded-postgres';
import { Client } from 'pg';

import { folderOfRun } from '../once-of-run';
import { TEST_DATABASE_RUN, TEST_DATABASE_URL } from './names';

let cleanUp: (() => Promise<void>) | undefined;

/**
 * Starts one server for a whole Jest run, unless `TEST_DATABASE_URL` names one. Jest copies this
 * environment to its workers.
 */
export async function startPostgresOfRun(): Promise<void> {
  process.env[TEST_DATABASE_RUN] = randomBytes(4).toString('hex');
  if (process.env[TEST_DATABASE_URL]) {
    cleanUp = dropDatabases;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));
  // When root runs the tests, Postgres runs as another user, which must be able to enter the
  // folder.
  chmodSync(folder, 0o711);
  const server = new EmbeddedPostgres({
    home: join(folder, 'postgres'),
    password: randomBytes(16).toString('hex'),
    logFile: join(folder, 'postgres.log'),
    // The data does not outlive the run, so it need not be flushed to the disk.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' },
  });
  await server.start();
  process.env[TEST_DATABASE_URL] = server.url;
  cleanUp = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}

export async function stopPostgresOfRun(): Promise<void> {
  rmSync(folderOfRun(process.env[TEST_DATABASE_RUN] ?? ''), { recursive: true, force: true });
  await cleanUp?.();
}

/**
 * Drops the template and the databases of interrupted suites on a server that this run did not
 * start.
 */
async function dropDatabases(): Promise<void> {
  const client = new Client({ connectionString: process.env[TEST_DATABASE_URL] });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      "SELECT datname FROM pg_database WHERE datname ~ ('^(test|template)_' || $1::text || '(_|$)')",
      [process.env[TEST_DATABASE_RUN]],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
  } finally {
    await client.end();
  }
}
