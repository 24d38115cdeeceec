import {
  createPostgresBackend,
  createRedisBackend,
  runMigrations,
  type BackendFactory,
  type IQueueBackend,
  type QueueBaseOptions,
} from 'bullmq';
import type { DatabaseTls } from '@gw/kernel';
import { Client } from 'pg';

/** Where jobs are kept: the database in the embedded mode, Redis when there is one. */
export type JobStore =
  | { readonly kind: 'postgres'; readonly url: string; readonly tls?: DatabaseTls }
  | { readonly kind: 'redis'; readonly url: string };

/** Every queue, worker and scheduler of BullMQ keeps a pool of its own, to which a worker adds one listening connection. */
const POOL_MAX = 2;

export const QUEUE = 'tollgate';

/** Brings the tables of BullMQ up to date (schema `bullmq`). Nothing to do on Redis. Safe to run at the same time. */
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

interface Backend {
  readonly options: QueueBaseOptions;
  readonly factory: BackendFactory<IQueueBackend>;
}

export function backendOf(store: JobStore): Backend {
  if (store.kind === 'redis') {
    const connection = { url: store.url, maxRetriesPerRequest: null };
    return { options: { connection }, factory: createRedisBackend };
  }
  const connection = { ...addressOf(store), max: POOL_MAX, application_name: 'tollgate-jobs' };
  return {
    options: { connection },
    factory: createPostgresBackend as unknown as BackendFactory<IQueueBackend>,
  };
}
