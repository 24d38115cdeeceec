import { FRAMING_HEADERS, HOP_BY_HOP_HEADERS } from '@gw/kernel';

const PROTOCOL_HEADERS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'content-type', 'content-encoding', 'expect', 'host', 'last-event-id'],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
]);

/** Whether only the protocol writes a header of requests to upstreams. `name` in lower case. */
export const isReservedHeader = (name: string): boolean =>
  PROTOCOL_HEADERS.has(name) ||
  name.startsWith('mcp-param-') ||
  FRAMING_HEADERS.has(name) ||
  HOP_BY_HOP_HEADERS.has(name);
