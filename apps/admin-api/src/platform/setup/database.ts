import { dataSourceOptions, type DatabaseTls } from '@gw/entities';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';

/** An arbitrary but fixed number: one set-up at a time, whatever the number of machines. */
const SETUP_LOCK = 7_204_911_054;
const LOCK_WAIT_MS = 300_000;
const RETRY_MS = 250;
/** SQLSTATEs of a server that is starting or ending; every other answer of a server is final. */
const PASSING = new Set(['57P01', '57P02', '57P03']);

const isPassing = (error: unknown): boolean => {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && (PASSING.has(code) || /^E[A-Z]+$/.test(code));
};

export interface SetupDatabase {
  readonly url: string;
  readonly tls?: DatabaseTls | undefined;
  readonly waitMs: number;
}

/** A connection, waiting up to `waitMs` for a server that is not there yet. */
async function connect({ url, tls, waitMs }: SetupDatabase): Promise<Client> {
  const until = Date.now() + waitMs;
  for (;;) {
    const client = new Client({
      connectionString: url,
      ...(tls === undefined ? {} : { ssl: tls }),
      connectionTimeoutMillis: 5_000,
      application_name: 'tollgate-setup',
    });
    client.on('error', () => undefined); // A lost connection shows in the next query.
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isPassing(error) || Date.now() + RETRY_MS > until) throw error;
      await delay(RETRY_MS);
    }
  }
}

/**
 * Runs `work` on the migrated database, one set-up at a time: a second one waits for the first and finds its work done.
 * Statements have no time limit here, since a migration may take long.
 */
export async function withMigratedDatabase<T>(
  settings: SetupDatabase,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const lock = await connect(settings);
  try {
    await lock.query(`SET lock_timeout = ${String(LOCK_WAIT_MS)}`);
    await lock.query('SELECT pg_advisory_lock($1)', [SETUP_LOCK]);
    const dataSource = new DataSource(
      dataSourceOptions({
        url: settings.url,
        tls: settings.tls,
        poolSize: 2,
        applicationName: 'tollgate-setup',
        statementTimeoutMs: 0,
      }),
    );
    await dataSource.initialize();
    try {
      await dataSource.runMigrations();
      return await work(dataSource);
    } finally {
      await dataSource.destroy();
    }
  } finally {
    await lock.end();
  }
}
