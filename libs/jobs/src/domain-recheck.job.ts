import { defineJob } from './job';

/**
 * Checks the proofs of verified domains again: once a week, or once a day after a failed check. The
 * payload is empty.
 */
export const domainRecheckJob = defineJob({
  name: 'domain-recheck',
  everyMs: 3_600_000,
  scheduledPayload: {},
});
