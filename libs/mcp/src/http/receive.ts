import { isVisibleAscii } from '@gw/kernel';
import { badRequest, CODES, McpFault } from '../fault';
import {
  BATCH_REVISION,
  isLegacyRevision,
  isModernRevision,
  MCP_LIMITS,
  META,
  negotiatedRevision,
  SUPPORTED_REVISIONS,
  type LegacyRevision,
  type RequestId,
} from '../protocol';
import { decodeBody, type DecodedBody } from '../rpc/decode';
import { own, type RpcMessage, type RpcRequest } from '../rpc/message';
import { accepts, mediaTypes, singleHeader, type HeaderFields } from './headers';
import { isModernByMeta, missing, readModern, unsupported, type ModernReceived } from './modern-request';

export interface McpHttpRequest {
  /** Method in upper case. */
  readonly method: string;
  readonly headers: HeaderFields;
  /** Whole body; empty for GET and DELETE. */
  readonly body: Buffer;
}

/** A session of the legacy era, as its id describes it. */
export interface LegacySession {
  readonly revision: LegacyRevision;
}

/**
 * Opens a session id for this caller and server; null for an id of another caller or server, and
 * for an unknown or expired one.
 */
export type OpenSession<S extends LegacySession> = (id: string) => S | null;

/** Kind of a request to an MCP endpoint. */
export type Received<S extends LegacySession> =
  | (ModernReceived & Pick<DecodedBody, 'numbers'>)
  | { readonly kind: 'initialize'; readonly message: RpcRequest; readonly revision: LegacyRevision }
  | ({ readonly kind: 'legacy'; readonly session: S } & DecodedBody)
  /** GET: the stream of messages from the server. */
  | { readonly kind: 'stream'; readonly session: S; readonly lastEventId: string | null }
  /** DELETE: the client ends its session. */
  | { readonly kind: 'end'; readonly session: S };

const STREAM = 'text/event-stream';
const JSON_TYPE = 'application/json';
const SESSION = 'mcp-session-id';
const VERSION = 'mcp-protocol-version';

/**
 * Determines the kind of a request to an MCP endpoint and its era, from the body first, and checks
 * its HTTP form. The caller has checked origin and credential before. `openSession` must bind the
 * id to the caller and the server.
 */
export function receive<S extends LegacySession>(
  { method, headers, body }: McpHttpRequest,
  openSession: OpenSession<S>,
): Received<S> {
  switch (method) {
    case 'POST':
      checkMediaTypes(headers);
      return ofBody(headers, decodeBody(body), openSession);
    case 'GET':
      if (singleHeader(headers, SESSION) === undefined) throw notAllowed();
      if (!accepts(singleHeader(headers, 'accept') ?? '', STREAM)) throw notAcceptable(STREAM);
      return {
        kind: 'stream',
        session: sessionOf(headers, openSession),
        lastEventId: singleHeader(headers, 'last-event-id') ?? null,
      };
    case 'DELETE':
      if (singleHeader(headers, SESSION) === undefined) throw notAllowed();
      return { kind: 'end', session: sessionOf(headers, openSession) };
    default:
      throw notAllowed();
  }
}

const notAllowed = (): McpFault =>
  new McpFault(CODES.invalidRequest, 'Use POST; GET and DELETE need a session.', {
    status: 405,
    headers: { allow: 'POST' },
  });

const notAcceptable = (types: string): McpFault =>
  new McpFault(CODES.invalidRequest, `The Accept header must allow ${types}.`, { status: 406 });

function checkMediaTypes(headers: HeaderFields): void {
  const accept = singleHeader(headers, 'accept') ?? '';
  if (!accepts(accept, JSON_TYPE) || !accepts(accept, STREAM))
    throw notAcceptable(`${JSON_TYPE} and ${STREAM}`);
  const [type, ...more] = mediaTypes(singleHeader(headers, 'content-type') ?? '');
  if (type !== JSON_TYPE || more.length > 0)
    throw new McpFault(CODES.invalidRequest, `The Content-Type must be ${JSON_TYPE}.`, { status: 415 });
}

function ofBody<S extends LegacySession>(
  headers: HeaderFields,
  decoded: DecodedBody,
  openSession: OpenSession<S>,
): Received<S> {
  const { messages, isBatch, numbers } = decoded;
  if (isBatch) return ofBatch(headers, decoded, openSession);
  const [message] = messages;
  if (message.kind !== 'response' && isModernByMeta(message.params))
    return { ...readModern(headers, message), numbers };
  if (message.kind === 'request' && message.method === 'initialize')
    return {
      kind: 'initialize',
      message,
      revision: negotiatedRevision(own(message.params, 'protocolVersion')),
    };
  if (isModernRevision(singleHeader(headers, VERSION))) return { ...bareModern(headers, message), numbers };
  return { kind: 'legacy', session: sessionOf(headers, openSession, message), ...decoded };
}

/** Reads a message that only its version header declares as modern. */
function bareModern(headers: HeaderFields, message: RpcMessage): ModernReceived {
  if (message.kind === 'notification') return readModern(headers, message);
  if (message.kind === 'request') throw missing(message.id, META.version, META.capabilities);
  throw badRequest(CODES.invalidRequest, 'Clients of this protocol version send no responses.', message.id);
}

function ofBatch<S extends LegacySession>(
  headers: HeaderFields,
  decoded: DecodedBody,
  openSession: OpenSession<S>,
): Received<S> {
  const isOdd = decoded.messages.some(
    (each) => each.kind !== 'response' && (each.method === 'initialize' || isModernByMeta(each.params)),
  );
  if (isOdd || singleHeader(headers, SESSION) === undefined)
    throw badRequest(CODES.invalidRequest, `Only sessions of ${BATCH_REVISION} send batches.`);
  const session = sessionOf(headers, openSession);
  if (session.revision !== BATCH_REVISION)
    throw badRequest(CODES.invalidRequest, `Only sessions of ${BATCH_REVISION} send batches.`);
  return { kind: 'legacy', session, ...decoded };
}

/**
 * Returns the session that a header names. Some clients send a version header that differs from the
 * session's revision; the session's revision applies.
 */
function sessionOf<S extends LegacySession>(
  headers: HeaderFields,
  openSession: OpenSession<S>,
  message?: RpcMessage,
): S {
  const requestId = message?.kind === 'request' ? message.id : null;
  const version = singleHeader(headers, VERSION);
  if (version !== undefined && !isLegacyRevision(version) && !isModernRevision(version))
    throw unsupported(version, requestId);
  const id = singleHeader(headers, SESSION);
  if (id === undefined)
    throw new McpFault(
      CODES.invalidRequest,
      `Send initialize first, or name the protocol version in _meta; supported: ${SUPPORTED_REVISIONS.join(', ')}.`,
      { status: 400, id: requestId, data: { supported: SUPPORTED_REVISIONS } },
    );
  if (!isVisibleAscii(id))
    throw badRequest(CODES.invalidRequest, 'The session id has invalid characters.', requestId);
  const session = id.length > MCP_LIMITS.sessionIdMax ? null : openSession(id);
  if (session !== null) return session;
  throw sessionNotFound(requestId);
}

/** Returns the fault of a session that is unknown, has ended or belongs to another caller. */
export const sessionNotFound = (requestId: RequestId | null): McpFault =>
  new McpFault(CODES.invalidRequest, 'Session not found.', { status: 404, id: requestId });
