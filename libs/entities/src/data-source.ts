import type { DataSourceOptions } from 'typeorm';
import type { DatabaseTls } from './database-tls';
import * as entities from './entities';
import * as migrations from './migrations';

export const ENTITIES = Object.values(entities);
export const MIGRATIONS = Object.values(migrations);

export interface DatabaseSettings {
  /** `postgres://…` */
  readonly url: string;
  /** TLS options; undefined to use those of the URL. */
  readonly tls?: DatabaseTls | undefined;
  /** Maximum number of connections of this process. */
  readonly poolSize: number;
  /** Application name in `pg_stat_activity`. */
  readonly applicationName: string;
  /**
   * Timeout of a statement in milliseconds, enforced by the server: 30 s by default, 0 for no
   * limit.
   */
  readonly statementTimeoutMs?: number;
  /**
   * Maximum time in milliseconds that a statement waits for a lock: 5 s less than
   * `statementTimeoutMs` by default, so that the error names the lock.
   */
  readonly lockTimeoutMs?: number;
  /**
   * Maximum time in milliseconds to open a connection or to wait for one of the pool: 5 s by
   * default.
   */
  readonly connectTimeoutMs?: number;
}

const SILENCE_MS = 2_000;
const LOCK_MARGIN_MS = 5_000;

/**
 * Returns the options of a data source. Only the hand-written migrations change the schema:
 * `synchronize` stays off.
 */
export function dataSourceOptions(settings: DatabaseSettings): DataSourceOptions {
  const { statementTimeoutMs = 30_000, connectTimeoutMs = 5_000 } = settings;
  const { lockTimeoutMs = Math.max(0, statementTimeoutMs - LOCK_MARGIN_MS) } = settings;
  return {
    type: 'postgres',
    url: settings.url,
    ...(settings.tls === undefined ? {} : { ssl: settings.tls }),
    poolSize: settings.poolSize,
    applicationName: settings.applicationName,
    connectTimeoutMS: connectTimeoutMs,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    extra: {
      statement_timeout: statementTimeoutMs,
      // The client gives up later than the server, in case the server does not respond at all.
      ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + SILENCE_MS }),
      lock_timeout: lockTimeoutMs,
      keepAlive: true,
    },
  };
}
