import { defineJob } from './job';

/** Makes the request log's partitions of the coming days. Four chances a day, since a missing one costs the ingest a detour. */
export const logPartitionsJob = defineJob({
  name: 'log-partitions',
  everyMs: 6 * 60 * 60 * 1000,
  scheduledPayload: {},
});
