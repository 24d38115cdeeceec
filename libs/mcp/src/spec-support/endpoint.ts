import { keyringOf } from '@gw/kernel';
import { NO_CAPABILITIES } from '../http/client-capabilities';
import type { HeaderFields } from '../http/headers';
import { localResponse, type EndpointFacts, type LocalResponse } from '../http/local-response';
import { receive, type Received } from '../http/receive';
import { McpFault } from '../fault';
import type { JsonObject, LegacyRevision } from '../protocol';
import { newSessionId, openSessionId, type SessionFacts } from '../sealed/session-id';

export const NOW = Date.UTC(2026, 10, 1);
export const RING = keyringOf('mcp/v1', Buffer.alloc(32, 1));
export const OWNER = { principal: 'p1', serverId: 's1' };
export const FACTS: EndpointFacts = {
  serverInfo: { name: 'fixture', version: '1' },
  capabilities: { tools: {} },
  instructions: null,
  ttlMs: 60_000,
};

export const sessionId = (revision: LegacyRevision): string =>
  newSessionId(RING, OWNER, { revision, capabilities: NO_CAPABILITIES }, { now: NOW });

export interface EndpointResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | null;
  /** The received request; null if it was refused before its era was known. */
  readonly received: Received<SessionFacts> | null;
}

/** Responds to a request like an endpoint, using only the functions of this library. */
export function respond(method: string, headers: HeaderFields, body: string | Buffer): EndpointResponse {
  try {
    const open = (id: string): SessionFacts | null => openSessionId(RING, OWNER, id, NOW);
    const received = receive({ method, headers, body: Buffer.from(body) }, open);
    const started = received.kind === 'initialize' ? { 'mcp-session-id': sessionId(received.revision) } : {};
    if (received.kind === 'stream')
      return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: null, received };
    if (received.kind === 'end') return { status: 204, headers: {}, body: null, received };
    // A forwarded message gets status 200 from the upstream.
    const local: LocalResponse = localResponse(received, FACTS) ?? { status: 200, body: null };
    return { ...local, headers: started, received };
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    return { status: error.status, headers: error.headers, body: error.body(), received: null };
  }
}
