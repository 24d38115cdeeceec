import { defineJob } from './job';

/**
 * Marks what is over: API keys, secrets after their transition, invites. Deletes what was kept under idempotency keys after its 24
 * hours. Nothing works longer for its delay; it only shows.
 */
export const expiryJob = defineJob({ name: 'expiry', everyMs: 60_000, scheduledPayload: {} });
