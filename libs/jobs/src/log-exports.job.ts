import { defineJob } from './job';

/**
 * Writes exports that no worker is writing, and deletes the files of deleted exports. The table
 * defines the work, so an export survives the loss of the worker, the job or the job store.
 */
export const logExportsJob = defineJob({ name: 'log-exports', everyMs: 2_000, scheduledPayload: {} });
