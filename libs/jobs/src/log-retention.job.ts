import { defineJob } from './job';

/** Removes logs, their bodies and feedback that are older than they are kept. */
export const logRetentionJob = defineJob({
  name: 'log-retention',
  everyMs: 60 * 60 * 1000,
  scheduledPayload: {},
});
