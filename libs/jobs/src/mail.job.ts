import { defineJob } from './job';

/**
 * Sends waiting mails from the database. The payload is empty, because mails may contain links that
 * grant access.
 */
export const mailJob = defineJob({ name: 'mail', everyMs: 5_000, scheduledPayload: {} });
