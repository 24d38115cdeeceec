import { defineJob } from './job';

/**
 * Creates the request log's partitions for the next days. It runs four times a day, because a
 * missing partition slows ingest.
 */
export const logPartitionsJob = defineJob({
  name: 'log-partitions',
  everyMs: 6 * 60 * 60 * 1000,
  scheduledPayload: {},
});
