import { isSendersHeader } from '@gw/kernel';

const PROTOCOL_HEADERS: ReadonlySet<string> = new Set([
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
]);

/**
 * Returns whether the protocol defines this header of requests to upstreams, so that callers and
 * integrations must not set it. `name` is in lower case.
 */
export const isReservedHeader = (name: string): boolean =>
  PROTOCOL_HEADERS.has(name) || name.startsWith('mcp-param-') || isSendersHeader(name);
