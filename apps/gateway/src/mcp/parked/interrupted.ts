import { McpFault, PARKED_TEXTS, toolError, type JsonObject } from '@gw/mcp';

/**
 * Returns the result of a request whose parked call no longer waits. Throws an `McpFault` for a
 * method that has no tool errors.
 */
export const interrupted = (method: string, why: 'answered' | 'gone'): JsonObject => {
  if (method !== 'tools/call') throw new McpFault(-32_602, PARKED_TEXTS[why]);
  return toolError(PARKED_TEXTS[why]);
};
