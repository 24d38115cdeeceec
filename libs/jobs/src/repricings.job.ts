import { defineJob } from './job';

/** Prices logs anew that somebody has requested. The job holds nothing of them: what is to be done stands in the database. */
export const repricingsJob = defineJob({ name: 'repricings', everyMs: 10_000, scheduledPayload: {} });
