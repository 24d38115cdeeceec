import { defineJob } from './job';

/**
 * Re-encrypts values that an earlier master key encrypted with the current one. If there are none,
 * it only runs a count.
 */
export const resealJob = defineJob({ name: 'reseal', everyMs: 5 * 60_000, scheduledPayload: {} });
