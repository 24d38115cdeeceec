import {
  createPostgresBackend,
  createRedisBackend,
  runMigrations,
  type BackendFactory,
  type IQueueBackend,
  type QueueBaseOptions,
} from 'bullmq';
import { Client, type ClientConfig } from 'pg';
import { RedisConnections } from './redis-connections';

/** Where jobs are stored: the database in embedded mode, otherwise Redis. */
export type JobStore =
  | { readonly kind: 'postgres'; readonly url: string; readonly tls?: ClientConfig['ssl'] }
  | { readonly kind: 'redis'; readonly url: string };

/**
 * Connections of a pool. Every queue, worker and scheduler of BullMQ has its own pool, and a worker
 * adds one listening connection.
 */
const POOL_MAX = 2;

export const QUEUE = 'tollgate';

/**
 * Migrates the tables of BullMQ (schema `bullmq`). Does nothing on Redis. Concurrent calls are
 * safe.
 */
export async function prepareJobStore(store: JobStore): Promise<void> {
  if (store.kind !== 'postgres') return;
  const client = new Client({ ...addressOf(store), application_name: 'tollgate-jobs' });
  await client.connect();
  try {
    await runMigrations(client);
  } finally {
    await client.end();
  }
}

const addressOf = ({ url, tls }: JobStore & { readonly kind: 'postgres' }) => ({
  connectionString: url,
  ...(tls === undefined ? {} : { ssl: tls }),
});

export interface Backend {
  readonly options: QueueBaseOptions;
  readonly factory: BackendFactory<IQueueBackend>;
  /** Connections on Redis, which the caller closes; null on Postgres. */
  readonly redis: RedisConnections | null;
}

/** Returns the BullMQ options and backend for a store. */
export function backendOf(store: JobStore): Backend {
  if (store.kind === 'redis') {
    const connection = new RedisConnections(store.url);
    return { options: { connection }, factory: createRedisBackend, redis: connection };
  }
  const connection = { ...addressOf(store), max: POOL_MAX, application_name: 'tollgate-jobs' };
  return {
    options: { connection },
    factory: createPostgresBackend as unknown as BackendFactory<IQueueBackend>,
    redis: null,
  };
}
