import { defineJob } from './job';

/** Prices logs anew on request. The database holds what is to be done. */
export const repricingsJob = defineJob({ name: 'repricings', everyMs: 10_000, scheduledPayload: {} });
