import { defineJob } from './job';

/**
 * Deletes expired logins, used SSO messages, challenges and password-reset links. Expired ones are
 * refused without the job too; a delay only costs storage.
 */
export const loginExpiryJob = defineJob({ name: 'login-expiry', everyMs: 600_000, scheduledPayload: {} });
