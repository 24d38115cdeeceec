import { defineJob } from './job';

/**
 * Looks again for the proofs of verified domains, each once a week, and once a day after a check that
 * failed. The payload is empty.
 */
export const domainRecheckJob = defineJob({
  name: 'domain-recheck',
  everyMs: 3_600_000,
  scheduledPayload: {},
});
