import { defineJob } from './job';

/** Deletes logs, their bodies and feedback after the retention time. */
export const logRetentionJob = defineJob({
  name: 'log-retention',
  everyMs: 60 * 60 * 1000,
  scheduledPayload: {},
});
