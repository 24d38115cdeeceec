import { defineJob } from './job';

/**
 * Builds the zone maps of days that were logged before zone maps existed. Until then, searches read
 * all logs of such a day.
 */
export const zoneMapsJob = defineJob({ name: 'log-zones', everyMs: 10 * 60_000, scheduledPayload: {} });
