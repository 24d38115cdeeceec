import { defineJob } from './job';

/** Removes rollups and spans that are older than they are kept. Nothing is wrong for its delay. */
export const rollupsJob = defineJob({ name: 'rollups', everyMs: 60 * 60 * 1000, scheduledPayload: {} });
