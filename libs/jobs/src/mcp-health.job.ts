import { MINUTE_MS } from '@gw/kernel';
import { defineJob } from './job';

/**
 * Checks whether MCP servers respond, in batches that the admin API carries out. The payload is
 * empty.
 */
export const mcpHealthJob = defineJob({ name: 'mcp-health', everyMs: MINUTE_MS, scheduledPayload: {} });
