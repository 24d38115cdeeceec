export type AppName = 'admin-api' | 'worker' | 'gateway';

/** Room for the garbage of many requests, and none of it taken for long-lived: promoted, it makes collections ten times as long. */
const GATEWAY = ['--max-semi-space-size=16', '--no-parallel-scavenge', '--no-allocation-site-pretenuring'];

/**
 * Rows of an export or a batch are garbage at once: with a large nursery the heap only grows until a big collection comes, and V8 lets it
 * double before that. By `npm run bench:exports` an export stays below 200 MiB this way as JSONL and below 225 as Parquet, and took 320 without;
 * by `bench:logs` less room than this costs the ingest a fifth more CPU.
 */
const WORKER = ['--max-semi-space-size=4', '--heap-growing-percent=35'];

/** What each process is started with. The images say the same. */
export const NODE_FLAGS: Readonly<Record<AppName, readonly string[]>> = {
  'admin-api': [],
  worker: WORKER,
  gateway: GATEWAY,
};
