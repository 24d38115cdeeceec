import { defineJob } from './job';

/** Deletes rollups and spans after their retention time. A delay affects no result. */
export const rollupsJob = defineJob({ name: 'rollups', everyMs: 60 * 60 * 1000, scheduledPayload: {} });
