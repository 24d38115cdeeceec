import { dataSourceOptions, type DatabaseTls } from '@gw/entities';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';

/**
 * Key of the advisory lock that allows one set-up at a time across machines; an arbitrary fixed
 * number.
 */
const SETUP_LOCK = 7_204_911_054;
const LOCK_WAIT_MS = 300_000;
const RETRY_MS = 250;
/**
 * SQLSTATEs of a server that is starting or stopping. All other errors of a server are permanent.
 */
const TRANSIENT_STATES = new Set(['57P01', '57P02', '57P03']);

/** Message of the driver, without a code, when a server does not respond in time. */
const TIMED_OUT = 'timeout expired';

const isTransient = (error: unknown): boolean => {
  if (error instanceof Error && error.message === TIMED_OUT) return true;
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && (TRANSIENT_STATES.has(code) || /^E[A-Z]+$/.test(code));
};

export interface SetupDatabase {
  readonly url: string;
  readonly tls?: DatabaseTls | undefined;
  readonly waitMs: number;
}

/** Connects to the database. Waits up to `waitMs` for a server that is not yet available. */
async function connect({ url, tls, waitMs }: SetupDatabase): Promise<Client> {
  const until = Date.now() + waitMs;
  for (;;) {
    const client = new Client({
      connectionString: url,
      ...(tls === undefined ? {} : { ssl: tls }),
      connectionTimeoutMillis: 5_000,
      application_name: 'tollgate-setup',
    });
    client.on('error', () => undefined); // The next query reports a lost connection.
    try {
      await client.connect();
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      if (!isTransient(error) || Date.now() + RETRY_MS > until) throw error;
      await delay(RETRY_MS);
    }
  }
}

/**
 * Migrates the database and runs `work`. Only one set-up runs at a time: a concurrent one waits and
 * then finds the work done. Statements have no timeout, since a migration may take long.
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
