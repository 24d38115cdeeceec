import { GatewayError } from '@gw/kernel';
import {
  CODES,
  denialResponse,
  McpFault,
  NEWEST_LEGACY,
  NO_CAPABILITIES,
  own,
  ownObject,
  type DenialCause,
  type RequestId,
} from '@gw/mcp';
import type { McpPlace } from '@gw/oauth';
import { resourceMetadataUrl } from '../auth/public-address';
import type { RequestContext } from '../core/request-context';
import type { McpReply } from './mcp-reply';
import { Denied, deniedResponse, faultLogged } from './denials';
import type { EndpointRequest } from './mcp-request';

export interface RefusalParts {
  readonly denialStatus: '200' | 'http';
  /** URL of this gateway for clients; when null, it is derived from the request. */
  readonly publicUrl: string | null;
}

/** The request that is refused. */
export interface Refused {
  readonly context: RequestContext;
  readonly reply: McpReply;
  readonly place: McpPlace;
  /** Null before the message was read. */
  readonly request: EndpointRequest | null;
  readonly id: RequestId | null;
}

/** Sends the response to a refused request in the format of MCP. */
export function refuse(
  parts: RefusalParts,
  failure: McpFault | Denied | GatewayError,
  refused: Refused,
): void {
  const { reply, context } = refused;
  if (failure instanceof McpFault) {
    reply.failed(faultLogged(failure));
    noteCode(context, failure.code);
    reply.end(JSON.stringify(failure.of(failure.id ?? refused.id).body()), failure.status, failure.headers);
    return;
  }
  if (failure instanceof Denied) {
    reply.failed(failure.logged);
    const { status, headers, body } =
      refused.request === null
        ? endpointResponse(failure.reason, refused)
        : deniedResponse(withMetadataUrl(failure, parts, refused), refused.request, parts.denialStatus);
    noteCode(context, own(ownObject(body, 'error'), 'code'));
    reply.end(JSON.stringify(body), status, headers);
    return;
  }
  reply.failed(failure);
  // Requests that fail before their message is handled are logged, like requests to models.
  reply.isRecorded = true;
  const cause = causeOf(failure, parts, refused);
  if (cause !== null) {
    const { status, headers, body } = endpointResponse(cause, refused);
    reply.end(JSON.stringify(body), status, headers);
    return;
  }
  const code = failure.status >= 500 ? CODES.internal : CODES.invalidRequest;
  noteCode(context, code);
  const error = { code, message: failure.message, data: { type: failure.type } };
  reply.end(
    JSON.stringify({ jsonrpc: '2.0', id: refused.id, error }),
    failure.status,
    failure.options.headers ?? {},
  );
}

/** Stores the code of the error that is sent, for the log. */
function noteCode({ mcp }: RequestContext, code: unknown): void {
  if (mcp !== null && typeof code === 'number') mcp.errorCode = code;
}

/**
 * Adds the URL of the resource metadata to the denial of a scope, with which clients find the
 * authorization server.
 */
function withMetadataUrl(denied: Denied, parts: RefusalParts, { context }: Refused): Denied {
  if (denied.reason.kind !== 'scope') return denied;
  return new Denied({ ...denied.reason, resourceMetadata: metadataUrl(parts, context) }, denied.logged);
}

const endpointResponse = (cause: DenialCause, { id }: Refused) =>
  denialResponse(cause, {
    ...{ era: 'legacy', revision: NEWEST_LEGACY, capabilities: NO_CAPABILITIES },
    ...{ id, method: null, denialStatus: '200', asToolError: false },
  });

const UNAUTHENTICATED: ReadonlySet<string> = new Set([
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
]);

function causeOf(error: GatewayError, parts: RefusalParts, { context }: Refused): DenialCause | null {
  const resourceMetadata = metadataUrl(parts, context);
  if (UNAUTHENTICATED.has(error.type)) {
    const hasToken = error.type !== 'api_key_missing';
    return { kind: 'unauthenticated', resourceMetadata, hasToken };
  }
  return error.type === 'scope_missing' ? { kind: 'scope', scope: 'mcp.invoke', resourceMetadata } : null;
}

/** Returns the URL of the protected resource metadata (RFC 9728) for the path of a request. */
const metadataUrl = ({ publicUrl }: RefusalParts, context: RequestContext): string =>
  resourceMetadataUrl(publicUrl, context, context.url.slice(0, context.url.length - context.query.length));
