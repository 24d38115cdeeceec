import { defineJob } from './job';

/** Seals by the current master key what an earlier one has sealed. Without anything to do it costs one count. */
export const resealJob = defineJob({ name: 'reseal', everyMs: 5 * 60_000, scheduledPayload: {} });
