import {
  CODES,
  inputRequiredFault,
  MAY_REQUIRE_INPUT,
  McpFault,
  own,
  ownObject,
  toolError,
  type InputRequests,
  type JsonObject,
} from '@gw/mcp';
import { shownInput } from './aggregate/shown';
import type { McpRequest } from './mcp-request';
import { allowsSampling } from './upstreams';

/** Input that a server requests of the client of a call. */
export interface RelayedInput {
  /** The requests as the client sees them. */
  readonly requests: InputRequests;
  /** State that the server gets back; null for none. */
  readonly upstreamState: string | null;
}

/** Returns the rules for requests of the server to the client; `ownHosts` are of this installation. */
export const clientRules = (
  { capabilities, view }: Pick<McpRequest, 'capabilities' | 'view'>,
  ownHosts: readonly string[],
) => ({ capabilities, ownHosts, allowSampling: allowsSampling(view.document) });

/**
 * Reads a result with which a server requests input of a modern client, and judges each request.
 * Returns the result that the client receives instead if one is not allowed. Throws an `McpFault`
 * then for a method that has no tool errors, and for a method that never waits for input.
 */
export function relayedInput(
  request: McpRequest,
  result: JsonObject,
  ownHosts: readonly string[],
): { readonly input: RelayedInput } | { readonly refusal: JsonObject } {
  if (!MAY_REQUIRE_INPUT.has(request.message.method)) throw notAllowed();
  const refusal = inputRequiredFault(result, clientRules(request, ownHosts));
  if (refusal === null) {
    const state = own(result, 'requestState');
    const requests = shownInput(request, ownObject(result, 'inputRequests') as InputRequests);
    return { input: { requests, upstreamState: typeof state === 'string' ? state : null } };
  }
  if (request.message.method !== 'tools/call') throw notAllowed();
  if (request.context.mcp !== null) request.context.mcp.isError = true;
  return { refusal };
}

const notAllowed = (): McpFault =>
  new McpFault(CODES.internal, 'The server requested input that is not allowed here.');

/**
 * Returns the result of a request whose input cannot be requested. Throws an `McpFault` for a method
 * that has no tool errors.
 */
export function endedWithoutInput({ message }: McpRequest, text: string): JsonObject {
  if (message.method !== 'tools/call') throw new McpFault(CODES.internal, text);
  return toolError(text);
}
