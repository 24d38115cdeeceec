import { defineJob } from './job';

/** Re-prices logs on request. The database defines the work. */
export const repricingsJob = defineJob({ name: 'repricings', everyMs: 10_000, scheduledPayload: {} });
