import { defineJob } from './job';

/** Makes the zones of days that were logged before there were any. Pages read such a day row by row until then. */
export const logZonesJob = defineJob({ name: 'log-zones', everyMs: 10 * 60_000, scheduledPayload: {} });
