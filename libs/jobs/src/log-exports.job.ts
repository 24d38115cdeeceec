import { defineJob } from './job';

/**
 * Writes started exports that no worker writes, and removes the files of deleted ones. The table
 * defines the work, so an export survives the loss of the worker, the job or the job store.
 */
export const logExportsJob = defineJob({ name: 'log-exports', everyMs: 2_000, scheduledPayload: {} });
