import { defineJob } from './job';

/**
 * Marks expired API keys, secrets and invites, and deletes responses stored under idempotency keys
 * after 24 hours. A delay only affects what the API shows: expiry itself does not depend on the
 * job.
 */
export const expiryJob = defineJob({ name: 'expiry', everyMs: 60_000, scheduledPayload: {} });
