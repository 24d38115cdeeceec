import { defineJob } from './job';

/** Posts waiting alerts from the database. The payload is empty. */
export const alertsJob = defineJob({ name: 'alerts', everyMs: 5_000, scheduledPayload: {} });
