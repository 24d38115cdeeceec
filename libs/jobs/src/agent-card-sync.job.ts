import { MINUTE_MS } from '@gw/kernel';
import { defineJob } from './job';

/** Reads the cards of agents whose turn it is, by batches that the admin API carries out. The payload is empty. */
export const agentCardSyncJob = defineJob({
  ...{ name: 'agent-card-sync', everyMs: MINUTE_MS, scheduledPayload: {} },
});
