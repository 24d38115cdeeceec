import { isSendersHeader } from '@gw/kernel';

const PROTOCOL_HEADERS: ReadonlySet<string> = new Set([
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
]);

/** Whether only the protocol writes a header of requests to upstreams. `name` in lower case. */
export const isReservedHeader = (name: string): boolean =>
  PROTOCOL_HEADERS.has(name) || name.startsWith('mcp-param-') || isSendersHeader(name);
