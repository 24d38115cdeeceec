import { toModernResult } from '../bridge/modern-client';
import { CODES, McpFault } from '../fault';
import { localResponse, type EndpointFacts, type LocalResponse } from '../http/local-response';
import type { LegacySession, Received } from '../http/receive';
import type { JsonObject } from '../protocol';
import { resultBody, type RpcRequest } from '../rpc/message';
import { readToolCall, type ToolCall } from '../rpc/tool-call';

/** A tool that this installation offers itself. */
export interface OwnTool {
  /** Definition as `tools/list` shows it. */
  readonly definition: JsonObject;
}

/** An MCP server with tools in this process, as one caller sees it. */
export interface OwnServer<T extends OwnTool> {
  readonly facts: EndpointFacts;
  /** Tools that the caller may use, by name, in the order of the list. */
  readonly tools: ReadonlyMap<string, T>;
}

/** A received POST. */
export type Posted<S extends LegacySession> = Extract<
  Received<S>,
  { readonly kind: 'modern' | 'initialize' | 'legacy' }
>;

/** How to handle a message: with a response that needs no tool, or by calling a tool. */
export type OwnRequest<T> =
  | { readonly kind: 'respond'; readonly response: LocalResponse }
  | { readonly kind: 'call'; readonly call: ToolCall<T>; readonly message: RpcRequest };

/**
 * Reads a message to an `OwnServer`, which has only tools. The list of tools has one page. The
 * caller adds the session id of `initialize`. Throws a fault for a batch, for an unknown tool or
 * invalid params of `tools/call`, and for a method that the server does not have. A legacy client
 * gets an error response with status 200 instead for a method that its revisions do not define.
 */
export function readOwnRequest<T extends OwnTool, S extends LegacySession>(
  received: Posted<S>,
  server: OwnServer<T>,
): OwnRequest<T> {
  if (received.kind === 'legacy' && received.isBatch)
    throw new McpFault(CODES.invalidRequest, 'Send one message at a time.', { status: 400 });
  const message = received.kind === 'legacy' ? received.messages[0] : received.message;
  const response = localResponse(received, server.facts);
  if (response !== null) return { kind: 'respond', response };
  if (message.kind !== 'request') return { kind: 'respond', response: { status: 202, body: null } };
  switch (message.method) {
    case 'tools/list': {
      const tools = [...server.tools.values()].map(({ definition }) => definition);
      const body = ownResult(received, server.facts, message, { tools });
      return { kind: 'respond', response: { status: 200, body } };
    }
    case 'tools/call':
      return { kind: 'call', call: readToolCall(message, server.tools), message };
    default:
      throw new McpFault(CODES.methodNotFound, 'Method not found.', {
        id: message.id,
        ...(received.kind === 'modern' && { status: 404 }),
      });
  }
}

/** Returns the response to a request with its result, in the form of the client's era. */
export function ownResult<S extends LegacySession>(
  { kind }: Pick<Posted<S>, 'kind'>,
  { serverInfo, ttlMs }: EndpointFacts,
  { id, method }: Pick<RpcRequest, 'id' | 'method'>,
  result: JsonObject,
): JsonObject {
  const isModern = kind === 'modern';
  return resultBody(
    id,
    isModern ? toModernResult(method, result, { serverInfo, ttlMs, isFiltered: true }) : result,
  );
}
