import { defineJob } from './job';

/**
 * Creates the request log's partitions of the next days. Runs four times a day, because a missing
 * partition slows ingest.
 */
export const logPartitionsJob = defineJob({
  name: 'log-partitions',
  everyMs: 6 * 60 * 60 * 1000,
  scheduledPayload: {},
});
