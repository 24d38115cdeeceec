import { defineJob } from './job';

/**
 * Seals values under the current master key that an earlier one sealed. Without such values it runs
 * one count.
 */
export const resealJob = defineJob({ name: 'reseal', everyMs: 5 * 60_000, scheduledPayload: {} });
