import { defineJob } from './job';

/**
 * Deletes unfinished logins, used messages, challenges and password-reset links that have expired.
 * All of them are refused without the job; a delay only takes room.
 */
export const loginExpiryJob = defineJob({ name: 'login-expiry', everyMs: 600_000, scheduledPayload: {} });
