import { MINUTE_MS } from '@gw/kernel';
import { defineJob } from './job';

/**
 * Reads the capabilities of MCP servers that are due, in batches that the admin API carries out.
 * The payload is empty.
 */
export const mcpSyncJob = defineJob({ name: 'mcp-sync', everyMs: MINUTE_MS, scheduledPayload: {} });
