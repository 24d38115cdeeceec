import { defineJob } from './job';

/**
 * Writes the exports that were started and that no worker writes, and removes the files of deleted ones. The table says what is to be
 * done, so that an export is found again whatever becomes of the worker, the job or the job store.
 */
export const logExportsJob = defineJob({ name: 'log-exports', everyMs: 2_000, scheduledPayload: {} });
