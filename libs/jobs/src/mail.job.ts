import { defineJob } from './job';

/** Sends the mails that wait in the database. The job holds nothing of them: their texts may carry links that let someone in. */
export const mailJob = defineJob({ name: 'mail', everyMs: 5_000, scheduledPayload: {} });
