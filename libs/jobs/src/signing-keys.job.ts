import { defineJob } from './job';

/** Rotates the keys that the installation signs with. A delay lets a key sign longer. */
export const signingKeysJob = defineJob({ name: 'signing-keys', everyMs: 3_600_000, scheduledPayload: {} });
