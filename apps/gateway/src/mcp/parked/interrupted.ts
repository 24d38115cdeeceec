import { McpFault, PARKED_TEXTS, toolError, type JsonObject } from '@gw/mcp';

/** The result of a request whose call does not wait any more. Throws an `McpFault` where the method has no tool errors. */
export const interrupted = (method: string, why: 'answered' | 'gone'): JsonObject => {
  if (method !== 'tools/call') throw new McpFault(-32_602, PARKED_TEXTS[why]);
  return toolError(PARKED_TEXTS[why]);
};
