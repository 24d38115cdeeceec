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

/** One request of a client to an address of MCP. */
export interface EndpointRequest {
  readonly context: RequestContext;
  readonly endpoint: Endpoint;
  /** The server that the request is for; null while none was found. */
  view: ServerView | null;
  readonly message: RpcRequest;
  /** Headers of the request. */
  readonly fields: HeaderFields;
  readonly era: Era;
  readonly revision: string;
  /** Capabilities that the client declared. */
  readonly capabilities: ClientCapabilities;
  /** `{name, version}` of the client, as it says. */
  readonly client: JsonObject;
  /** Null in the modern era. */
  readonly session: SessionFacts | null;
  /** Null in the modern era. */
  readonly state: SessionState | null;
  readonly reply: McpReply;
  /** Aborts when the client cancels, or leaves. */
  readonly signal: EndSignal;
  /** Numbers of the message that change when it is written again. */
  readonly numbers: ExactNumbers | null;
}

/** A request that is for one server. */
export interface McpRequest extends EndpointRequest {
  readonly view: ServerView;
}

/** Notes which server a request is for, in the log as well. */
export function atServer(request: EndpointRequest, view: ServerView): McpRequest {
  request.context.mcp?.reaches(view.document);
  return Object.assign(request, { view });
}

/** Client facts of a message. */
export function clientOf(
  received: Extract<Received<SessionFacts>, { kind: 'modern' | 'legacy' }>,
): Pick<EndpointRequest, 'era' | 'revision' | 'capabilities' | 'client'> {
  if (received.kind === 'legacy') return { era: 'legacy', ...received.session, client: {} };
  const { revision, capabilities, client } = received;
  return { era: 'modern', revision, capabilities, client };
}
