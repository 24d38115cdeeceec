import { defineJob } from './job';

/**
 * Deletes logins that were begun and never ended, and used messages and challenges that can no
 * longer be used. All of them are refused without the job; a delay only takes room.
 */
export const loginExpiryJob = defineJob({ name: 'login-expiry', everyMs: 600_000, scheduledPayload: {} });
