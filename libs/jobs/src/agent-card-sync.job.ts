import { MINUTE_MS } from '@gw/kernel';
import { defineJob } from './job';

/**
 * Reads agent cards that are due, in batches that the admin API carries out. The payload is empty.
 */
export const agentCardSyncJob = defineJob({
  ...{ name: 'agent-card-sync', everyMs: MINUTE_MS, scheduledPayload: {} },
});
