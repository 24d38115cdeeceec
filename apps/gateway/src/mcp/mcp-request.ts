import type { ExactNumbers } from '@gw/kernel';
import type {
  ClientCapabilities,
  Era,
  HeaderFields,
  JsonObject,
  Received,
  RpcRequest,
  SessionFacts,
} from '@gw/mcp';
import type { EndSignal } from '@gw/mcp-client';
import type { RequestContext } from '../core/request-context';
import type { McpReply } from './mcp-reply';
import type { Endpoint } from './endpoint';
import type { SessionState } from './sessions/session-states';
import type { ServerView } from './server-view';

/** One request of a client to an MCP address. */
export interface EndpointRequest {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  /** The server that the request is for; null until it is found. */
  view: ServerView | null;
  readonly message: RpcRequest;
  /** The message as the client wrote it; the log may store other bytes. */
  readonly body: Buffer;
  /** Headers of the HTTP request. */
  readonly fields: HeaderFields;
  readonly era: Era;
  readonly revision: string;
  /** Capabilities that the client declared. */
  readonly capabilities: ClientCapabilities;
  /** `{name, version}` as the client declares it. */
  readonly client: JsonObject;
  /** Null in the modern era. */
  readonly session: SessionFacts | null;
  /** Null in the modern era. */
  readonly state: SessionState | null;
  readonly reply: McpReply;
  /** Aborts when the client cancels the request or disconnects. */
  readonly signal: EndSignal;
  /**
   * Numbers of the message that would change when it is serialised again; null when there are none.
   */
  readonly numbers: ExactNumbers | null;
}

/** A request whose server is known. */
export interface McpRequest extends EndpointRequest {
  readonly view: ServerView;
}

/** Sets the server of a request, also for its log record. */
export function atServer(request: EndpointRequest, view: ServerView): McpRequest {
  request.context.mcp?.noteServer(view.document);
  return Object.assign(request, { view });
}

/** Returns era, revision, capabilities and name of the client that sent a message. */
export function clientOf(
  received: Extract<Received<SessionFacts>, { kind: 'modern' | 'legacy' }>,
): Pick<EndpointRequest, 'era' | 'revision' | 'capabilities' | 'client'> {
  if (received.kind === 'legacy') return { era: 'legacy', ...received.session, client: {} };
  const { revision, capabilities, client } = received;
  return { era: 'modern', revision, capabilities, client };
}
