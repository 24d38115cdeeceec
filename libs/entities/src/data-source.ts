import type { DataSourceOptions } from 'typeorm';
import type { DatabaseTls } from './database-tls';
import * as entities from './entities';
import * as migrations from './migrations';

export const ENTITIES = Object.values(entities);
export const MIGRATIONS = Object.values(migrations);

export interface DatabaseSettings {
  /** `postgres://…` */
  readonly url: string;
  /** Undefined: as the URL says. */
  readonly tls?: DatabaseTls | undefined;
  /** Connections of this process, at most. */
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Timeout of a statement, enforced by the server: 30 s by default, 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /**
   * Maximum time that a statement waits for a lock: 5 s less than `statementTimeoutMs` by default,
   * so that the error names the lock.
   */
  readonly lockTimeoutMs?: number;
}

const SILENCE_MS = 2_000;
const LOCK_BEFORE_MS = 5_000;

/** The schema belongs to the hand-written migrations alone: `synchronize` stays off. */
export function dataSourceOptions(settings: DatabaseSettings): DataSourceOptions {
  const { statementTimeoutMs = 30_000 } = settings;
  const { lockTimeoutMs = Math.max(0, statementTimeoutMs - LOCK_BEFORE_MS) } = settings;
  return {
    type: 'postgres',
    url: settings.url,
    ...(settings.tls === undefined ? {} : { ssl: settings.tls }),
    poolSize: settings.poolSize,
    applicationName: settings.applicationName,
    // Also how long a query waits for a connection of the pool.
    connectTimeoutMS: 5_000,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
    extra: {
      statement_timeout: statementTimeoutMs,
      // For a server that does not answer at all, not even that it has cancelled a statement.
      ...(statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + SILENCE_MS }),
      lock_timeout: lockTimeoutMs,
      keepAlive: true,
    },
  };
}
