import { defineJob } from './job';

/** Rotates the API keys with a due rotation policy, and sends warnings a day before. */
export const rotationJob = defineJob({ name: 'rotation', everyMs: 600_000, scheduledPayload: {} });
