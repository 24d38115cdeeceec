import { defineJob } from './job';

/** Rotates API keys whose rotation is due, and sends warnings a day before. */
export const rotationJob = defineJob({ name: 'rotation', everyMs: 600_000, scheduledPayload: {} });
