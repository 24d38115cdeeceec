import { defineJob } from './job';

/** Rotates the installation's signing keys. A delay lets a key sign for longer. */
export const signingKeysJob = defineJob({ name: 'signing-keys', everyMs: 3_600_000, scheduledPayload: {} });
