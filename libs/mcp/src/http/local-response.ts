import { capabilitiesOfEra } from '../bridge/tasks';
import { CODES, McpFault } from '../fault';
import { isKnownRequest, META, SUPPORTED_REVISIONS, type JsonObject } from '../protocol';
import { resultBody, type RpcMessage } from '../rpc/message';
import type { LegacySession, Received } from './receive';

/** Facts about a server or toolset that the gateway knows without calling it. */
export interface EndpointFacts {
  /** `{name, version, …}` of the upstream, or of the toolset. */
  readonly serverInfo: JsonObject;
  /** Server capabilities of the snapshot that the gateway relays. */
  readonly capabilities: JsonObject;
  /** Approved instructions; null without any. */
  readonly instructions: string | null;
  /** How long clients may cache the response, in milliseconds: 0 to 300,000. */
  readonly ttlMs: number;
}

/**
 * A response that the gateway creates without calling an upstream. A null body means that there is
 * none.
 */
export interface LocalResponse {
  readonly status: number;
  readonly body: JsonObject | null;
}

const TTL_MS_MAX = 300_000;
const ACCEPTED: LocalResponse = { status: 202, body: null };

/**
 * Returns the response to messages that need no upstream: `initialize`, `server/discover`, `ping`,
 * notifications and responses (202), and unknown methods. Null: the message must be forwarded. The
 * caller handles each message of a batch with `legacyResponse`, and adds the session id of
 * `initialize`.
 */
export function localResponse<S extends LegacySession>(
  received: Extract<Received<S>, { kind: 'modern' | 'initialize' | 'legacy' }>,
  facts: EndpointFacts,
): LocalResponse | null {
  switch (received.kind) {
    case 'initialize':
      return ok(received.message.id, {
        protocolVersion: received.revision,
        capabilities: capabilitiesOfEra(facts.capabilities, 'legacy'),
        serverInfo: facts.serverInfo,
        ...(facts.instructions !== null && { instructions: facts.instructions }),
      });
    case 'modern':
      if (received.message.kind === 'notification') return ACCEPTED;
      return received.message.method === 'server/discover' ? ok(received.message.id, discovery(facts)) : null;
    case 'legacy':
      if (!received.isBatch) return legacyResponse(received.messages[0]);
      return received.messages.some(({ kind }) => kind === 'request') ? null : ACCEPTED;
  }
}

/**
 * Returns the local response to one message of a legacy session; null when the message must be
 * forwarded.
 */
export function legacyResponse(message: RpcMessage): LocalResponse | null {
  if (message.kind !== 'request') return ACCEPTED;
  const { id, method } = message;
  if (method === 'ping') return ok(id, {});
  if (method !== 'initialize' && isKnownRequest('legacy', method)) return null;
  return { status: 200, body: new McpFault(CODES.methodNotFound, 'Method not found.', { id }).body() };
}

/**
 * Returns the response to a batch: the bodies of its requests in their order. Null when every
 * message is a notification or a response, for which the response is 202 without a body.
 */
export const batchBody = (bodies: readonly (JsonObject | null)[]): readonly JsonObject[] | null => {
  const present = bodies.filter((body) => body !== null);
  return present.length === 0 ? null : present;
};

const ok = (id: string | number, result: JsonObject): LocalResponse => ({
  status: 200,
  body: resultBody(id, result),
});

function discovery({ serverInfo, capabilities, instructions, ttlMs }: EndpointFacts): JsonObject {
  return {
    resultType: 'complete',
    supportedVersions: SUPPORTED_REVISIONS,
    capabilities: capabilitiesOfEra(capabilities, 'modern'),
    ...(instructions !== null && { instructions }),
    ttlMs: Math.min(Math.max(0, Math.trunc(ttlMs)), TTL_MS_MAX),
    cacheScope: 'private',
    _meta: { [META.server]: serverInfo },
  };
}
