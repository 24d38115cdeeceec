import { defineJob } from './job';

/** Posts the alerts that wait in the database. The job holds nothing of them. */
export const alertsJob = defineJob({ name: 'alerts', everyMs: 5_000, scheduledPayload: {} });
