import { CODES } from '../fault';
import type { ClientCapabilities } from '../http/client-capabilities';
import { MAY_REQUIRE_INPUT, type Era, type JsonObject, type RequestId } from '../protocol';
import { resultBody } from '../rpc/message';
import { inputRequired } from '../sealed/retry';
import { describeDenial, type DenialCause, type DenialError } from './denial';

/** The denied request, and the settings of its workspace for denials. */
export interface DenialContext {
  readonly era: Era;
  /** Revision of the session or request. */
  readonly revision: string;
  readonly capabilities: ClientCapabilities;
  /** Id and method of the request; null for GET and DELETE, and when the body is not read yet. */
  readonly id: RequestId | null;
  readonly method: string | null;
  /**
   * `200`: errors of JSON-RPC have status 200, so that clients pass on code and data. `http`:
   * denials have status 429, 412 or 403.
   */
  readonly denialStatus: '200' | 'http';
  /**
   * Whether denials by guardrails and argument rules become results with `isError`, which models
   * can read.
   */
  readonly asToolError: boolean;
}

export interface DenialResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/**
 * Returns the response to a denied request in the form of its era. `data.type` is the same in both
 * eras.
 */
export function denialResponse(cause: DenialCause, context: DenialContext): DenialResponse {
  if (cause.kind === 'connection') return connectionResponse(cause, context);
  const denial = describeDenial(cause);
  const isCall = context.method === 'tools/call';
  const isToolError =
    isCall &&
    (cause.kind === 'upstream' ||
      cause.kind === 'approval' ||
      (context.asToolError && (cause.kind === 'guardrail' || cause.kind === 'arguments')));
  if (isToolError) return ok(context, toolError(denial.message, denial.data));
  const hasOwnStatus = denial.isOfEndpoint || context.denialStatus === 'http';
  return {
    status: hasOwnStatus ? denial.httpStatus : 200,
    headers: { ...retryHeader(denial), ...challengeHeader(cause) },
    body: errorBody(denial, context),
  };
}

/**
 * Returns a result with `isError`, with the stable type of the reason under `_meta["gw/error"]`.
 */
export const toolError = (text: string, data: JsonObject = {}): JsonObject => ({
  content: [{ type: 'text', text }],
  isError: true,
  ...(Object.keys(data).length > 0 && { _meta: { 'gw/error': data } }),
});

const ok = ({ id, era }: DenialContext, result: JsonObject): DenialResponse => ({
  status: 200,
  headers: {},
  body: resultBody(
    id ?? '',
    era === 'modern' && !('resultType' in result) ? { resultType: 'complete', ...result } : result,
  ),
});

const errorBody = (
  { legacy, modern, message, data }: DenialError,
  { era, id }: DenialContext,
): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: era === 'modern' ? modern : legacy,
    message,
    ...(Object.keys(data).length > 0 && { data }),
  },
});

const retryHeader = ({ retryAfterMs }: DenialError): Readonly<Record<string, string>> =>
  retryAfterMs === null ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };

/**
 * Returns the header `WWW-Authenticate` (RFC 6750, RFC 9728); no header for causes without a
 * challenge.
 */
function challengeHeader(cause: DenialCause): Readonly<Record<string, string>> {
  if (cause.kind === 'unauthenticated')
    return challenge(
      cause.resourceMetadata,
      cause.scope ?? 'mcp.invoke',
      cause.hasToken ? 'invalid_token' : null,
    );
  if (cause.kind === 'scope') return challenge(cause.resourceMetadata, cause.scope, 'insufficient_scope');
  return {};
}

function challenge(
  metadata: string,
  scope: string,
  failure: string | null,
): Readonly<Record<string, string>> {
  const parts = [
    ...(failure === null ? [] : [`error="${failure}"`]),
    `resource_metadata="${quotable(metadata)}"`,
    `scope="${quotable(scope)}"`,
  ];
  return { 'www-authenticate': `Bearer ${parts.join(', ')}` };
}

/** Removes characters that a quoted string (RFC 9110) cannot contain unescaped. */
const quotable = (text: string): string => text.replace(/[^\x20-\x7e]|["\\]/g, '');

function connectionResponse(
  { server, link, requestState }: Extract<DenialCause, { readonly kind: 'connection' }>,
  context: DenialContext,
): DenialResponse {
  const data = { type: 'mcp_connection_required', server };
  if (link === null)
    return refusal(
      'The account for this server is not connected, and this credential belongs to no user.',
      data,
      context,
    );
  const elicitation = {
    mode: 'url',
    url: link,
    elicitationId: `connect-${server}`,
    message: 'Connect your account to continue.',
  };
  const { era, revision, capabilities, id, method } = context;
  if (capabilities.url && era === 'modern' && method !== null && MAY_REQUIRE_INPUT.has(method))
    return ok(
      context,
      inputRequired({ connect: { method: 'elicitation/create', params: elicitation } }, requestState),
    );
  if (capabilities.url && revision === '2025-11-25') {
    const message = 'The user must connect an account first.';
    const error = { code: CODES.urlElicitation, message, data: { ...data, elicitations: [elicitation] } };
    return { status: 200, headers: {}, body: { jsonrpc: '2.0', id, error } };
  }
  return refusal(
    `The user of this credential must connect an account for this server: ${link}`,
    data,
    context,
  );
}

/** Returns a tool error for tools/call, and an error of JSON-RPC for other methods. */
function refusal(text: string, data: JsonObject, context: DenialContext): DenialResponse {
  if (context.method === 'tools/call') return ok(context, toolError(text, data));
  const error = { code: CODES.internal, message: text, data };
  return { status: 200, headers: {}, body: { jsonrpc: '2.0', id: context.id, error } };
}
