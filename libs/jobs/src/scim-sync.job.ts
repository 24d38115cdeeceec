import { defineJob } from './job';

/**
 * Applies workspace memberships of SCIM users that a large change of groups has left pending, in
 * batches that the admin API carries out. The payload is empty.
 */
export const scimSyncJob = defineJob({ name: 'scim-sync', everyMs: 5_000, scheduledPayload: {} });
