import { MINUTE_MS } from '@gw/kernel';
import { defineJob } from './job';

/**
 * Checks whether agents respond, in batches that the admin API carries out. The payload is empty.
 */
export const agentHealthJob = defineJob({ name: 'agent-health', everyMs: MINUTE_MS, scheduledPayload: {} });
