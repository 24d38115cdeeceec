import { defineJob } from './job';

/** Rotates the API keys whose policy says so, and warns a day ahead. */
export const rotationJob = defineJob({ name: 'rotation', everyMs: 600_000, scheduledPayload: {} });
