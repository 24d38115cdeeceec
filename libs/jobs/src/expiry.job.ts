import { defineJob } from './job';

/** Marks what is over: API keys, secrets after their transition, invites. Nothing works longer for its delay; it only shows. */
export const expiryJob = defineJob({ name: 'expiry', everyMs: 60_000, scheduledPayload: {} });
