export type AppName = 'admin-api' | 'worker' | 'gateway';

/**
 * V8 flags of the gateway. The young generation (in MiB) holds the garbage of many requests, so
 * that the short-lived objects of a request are not promoted; promoted garbage makes collections
 * ten times as long (measured).
 */
const GATEWAY = ['--max-semi-space-size=16', '--no-parallel-scavenge', '--no-allocation-site-pretenuring'];

/**
 * V8 flags of the worker. Rows of an export or a batch become garbage at once. With a large young
 * generation the heap grows until a full collection, before which V8 lets it double. By `npm run
 * bench:exports` an export stays below 200 MiB as JSONL and below 225 MiB as Parquet; it took 320
 * MiB without these flags. By `bench:logs` a smaller young generation costs ingest a fifth more
 * CPU.
 */
const WORKER = ['--max-semi-space-size=4', '--heap-growing-percent=35'];

/** Node flags of each process. The images use the same. */
export const NODE_FLAGS: Readonly<Record<AppName, readonly string[]>> = {
  'admin-api': [],
  worker: WORKER,
  gateway: GATEWAY,
};
