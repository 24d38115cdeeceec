import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, toGatewayError, type Keyring } from '@gw/kernel';
import {
  checkOrigin,
  CODES,
  headerFields,
  localResponse,
  McpFault,
  newSessionId,
  openSessionId,
  originHeaders,
  own,
  ownObject,
  preflightHeaders,
  readCapabilities,
  receive,
  sessionNotFound,
  type HeaderFields,
  type OriginRules,
  type Received,
  type RequestId,
  type RpcMessage,
  type SessionFacts,
} from '@gw/mcp';
import { CallEnding } from '@gw/mcp-client';
import type { McpPlace, SsePlace } from '@gw/oauth';
import { RequestContext, type Stage } from '../core/request-context';
import { timedReceive } from '../core/timed-receive';
import { targetOf } from '../http/request-rules';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import { BatchReply } from './batch-reply';
import { calledEndpoint, type CalledEndpointParts } from './called-endpoint';
import type { CallReplyOptions } from '../reply/call-reply';
import { McpReply } from './mcp-reply';
import type { ClientInputs } from './client-inputs';
import { refuse, type RefusalParts } from './refusals';
import { Denied } from './denials';
import type { Endpoint } from './endpoint';
import { clientOf, type EndpointRequest } from './mcp-request';
import { MCP_ROUTE } from './mcp-route';
import type { Requests } from './requests';
import type { SseDoor, SseWork } from './sse/sse-door';
import { nameOf, ownerOf } from './session-names';
import type { SessionCalls } from './sessions/session-calls';
import type { SessionState, SessionStates } from './sessions/session-states';
import type { SessionStreams } from './sessions/session-streams';

export interface McpDoorParts extends RefusalParts, CalledEndpointParts {
  readonly ring: Keyring;
  readonly origins: OriginRules;
  readonly receive: Stage;
  readonly requests: Requests;
  readonly inputs: ClientInputs;
  readonly states: SessionStates;
  readonly streams: SessionStreams;
  readonly calls: SessionCalls;
  /** Null when the HTTP+SSE transport is disabled. */
  readonly sse: SseDoor | null;
  readonly replies: CallReplyOptions;
  readonly requestsInFlight: RequestsInFlight;
}

type SsePart = SsePlace['part'];

/** Maximum number of requests of a batch that run at the same time. */
const BATCH_CONCURRENCY = 5;

type SessionReceived = Extract<Received<SessionFacts>, { readonly session: SessionFacts }>;
type Posted = Extract<Received<SessionFacts>, { kind: 'modern' | 'initialize' | 'legacy' }>;

/**
 * Receives HTTP requests to MCP addresses: authenticates the caller, finds the endpoint, and
 * dispatches the messages.
 */
export class McpDoor {
  constructor(private readonly parts: McpDoorParts) {}

  handle(
    id: string,
    req: IncomingMessage,
    res: ServerResponse,
    { place, sse = null }: { readonly place: McpPlace; readonly sse?: SsePart | null },
  ): void {
    if (sse !== null && this.parts.sse === null) throw new GatewayError('route_not_found');
    const { path, query } = targetOf(req.url ?? '/');
    const method = req.method ?? 'GET';
    const context = new RequestContext(id, req, res, method, path + query, query, MCP_ROUTE);
    const fields = fieldsOf(req);
    const reply = new McpReply(context, this.parts.replies, originHeaders(fields));
    const visit = new Visit(this.parts, {
      context,
      reply,
      fields,
      place,
      sse,
    });
    void visit.run();
  }
}

interface VisitParts {
  readonly context: RequestContext;
  readonly reply: McpReply;
  readonly fields: HeaderFields;
  readonly place: McpPlace;
  /** The path of the HTTP+SSE transport that was requested; null for streamable HTTP. */
  readonly sse: SsePart | null;
}

/** A message that is being answered, with the reply that sends its response. */
interface AnsweredMessage {
  readonly context: RequestContext;
  readonly reply: McpReply;
  /** Null before the request is read, and for messages that the gateway itself answers. */
  request: EndpointRequest | null;
  /** Id of the message, for errors. */
  id: RequestId | null;
}

/** Handles one HTTP request. */
class Visit {
  constructor(
    private readonly parts: McpDoorParts,
    private readonly visit: VisitParts,
  ) {}

  /** Never rejects. */
  run(): Promise<void> {
    const { reply, context } = this.visit;
    const answered: AnsweredMessage = { context, reply, request: null, id: null };
    return this.answer(answered, () => this.respond(answered));
  }

  /** Answers a message, with an error when `work` throws. Never rejects. */
  private async answer(answered: AnsweredMessage, work: () => Promise<void>): Promise<void> {
    const { context, reply } = answered;
    try {
      await work();
    } catch (thrown) {
      const failure =
        thrown instanceof McpFault || thrown instanceof Denied ? thrown : toGatewayError(thrown);
      refuse(this.parts, failure, { ...answered, place: this.visit.place });
    } finally {
      if (context.clientGone) reply.leave();
    }
  }

  private async respond(answered: AnsweredMessage): Promise<void> {
    const { context, reply, fields, place } = this.visit;
    const { origins } = this.parts;
    checkOrigin(fields, origins);
    if (context.method === 'OPTIONS') {
      reply.end(null, 204, preflightHeaders(fields, origins));
      return;
    }
    const called = calledEndpoint(this.parts, context, place);
    const endpoint = called instanceof Promise ? await called : called;
    if (this.visit.sse !== null) return this.respondBySse(endpoint, this.visit.sse);
    if (context.method === 'POST') await timedReceive(this.parts.receive, context);
    const { method, body } = context;
    const received = receive({ method, headers: fields, body }, (id) => this.openSession(endpoint, id));
    const state = 'session' in received ? await this.stateOf(endpoint, received) : null;
    if (received.kind === 'stream') await this.openStream(endpoint, received, state as SessionState);
    else if (received.kind === 'end') {
      await state?.end(received.session.expiresAt);
      reply.end(null, 204);
    } else if (received.kind === 'legacy' && received.isBatch)
      await this.postBatch(endpoint, received, state as SessionState);
    else await this.post(answered, endpoint, received, state);
  }

  /**
   * Handles a request of the HTTP+SSE transport: GET opens the client's stream, and POST sends a
   * message.
   */
  private async respondBySse(endpoint: Endpoint, part: SsePart): Promise<void> {
    const { context, reply } = this.visit;
    const door = this.parts.sse as SseDoor;
    const allowed = part === 'sse' ? 'GET' : 'POST';
    if (context.method !== allowed)
      throw new McpFault(CODES.invalidRequest, `Use ${allowed}.`, {
        status: 405,
        headers: { allow: allowed },
      });
    if (part === 'sse') {
      await door.open(
        { endpoint, reply, context },
        {
          answer: (...request) => this.answerSse(...request),
          take: (...message) => this.take(...message),
        },
      );
      return;
    }
    await timedReceive(this.parts.receive, context);
    door.post({ endpoint, context });
    reply.end(null, 202);
  }

  /** Answers a request of a client with HTTP+SSE on its stream. */
  private async answerSse(
    ...[{ context, reply, id }, endpoint, received, state]: Parameters<SseWork['answer']>
  ): Promise<void> {
    const answered: AnsweredMessage = { context, reply, request: null, id };
    await this.answer(answered, () => this.post(answered, endpoint, received, state));
  }

  private openSession(endpoint: Endpoint, id: string): SessionFacts | null {
    return openSessionId(this.parts.ring, ownerOf(endpoint), id, Date.now());
  }

  /**
   * Returns the state of the client's session. Throws the same fault for an ended session as for an
   * unknown one.
   */
  private async stateOf(endpoint: Endpoint, received: SessionReceived): Promise<SessionState> {
    const state = await this.parts.states.of(nameOf(endpoint, received.session));
    if (!state.isEnded) return state;
    const [message] = received.kind === 'legacy' ? received.messages : [];
    throw sessionNotFound(message?.kind === 'request' ? message.id : null);
  }

  private openStream(
    endpoint: Endpoint,
    { session, lastEventId }: Extract<SessionReceived, { kind: 'stream' }>,
    state: SessionState,
  ): Promise<void> {
    const { reply, context } = this.visit;
    context.whenClientGone({ clientGone: () => reply.leave() });
    const name = nameOf(endpoint, session);
    return this.parts.streams.open({ endpoint, session, state, name, reply, lastEventId });
  }

  private async post(
    answered: AnsweredMessage,
    endpoint: Endpoint,
    received: Posted,
    state: SessionState | null,
  ): Promise<void> {
    const { reply } = answered;
    const message = received.kind === 'legacy' ? received.messages[0] : received.message;
    if (message.kind === 'request') answered.id = message.id;
    const local = localResponse(received, endpoint.facts);
    if (local === null) {
      if (message.kind === 'request' && received.kind !== 'initialize')
        await this.forward(answered, { ...received, endpoint, message, state });
      return;
    }
    if (received.kind === 'legacy') this.take(endpoint, received.session, message);
    const headers = received.kind === 'initialize' ? this.sessionHeaders(endpoint, received) : {};
    reply.end(local.body === null ? null : JSON.stringify(local.body), local.status, headers);
  }

  /** Answers a batch. Each message is admitted, checked and recorded separately. */
  private async postBatch(
    endpoint: Endpoint,
    received: Extract<Posted, { kind: 'legacy' }>,
    state: SessionState,
  ): Promise<void> {
    const { context, reply } = this.visit;
    const requests = received.messages.filter((message) => message.kind === 'request');
    for (const message of received.messages) this.take(endpoint, received.session, message);
    if (requests.length === 0) {
      reply.end(null, 202);
      return;
    }
    const batch = new BatchReply(context, reply, requests, this.parts.replies);
    const waiting = [...batch.parts];
    const answerNext = async (): Promise<void> => {
      for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
        const { message } = part;
        const answered = { context: part.context, reply: part.reply, request: null, id: message.id };
        const alone = { ...received, messages: [message], isBatch: false } as const;
        await this.answer(answered, () => this.post(answered, endpoint, alone, state));
      }
    };
    await Promise.all(Array.from({ length: BATCH_CONCURRENCY }, answerNext));
    await batch.end();
  }

  /** Handles notifications and responses of a legacy client. */
  private take(endpoint: Endpoint, session: SessionFacts, message: RpcMessage): void {
    if (message.kind === 'response') this.parts.inputs.take(nameOf(endpoint, session), message);
    else if (message.kind === 'notification' && message.method === 'notifications/cancelled')
      this.parts.calls.cancel(session, own(message.params, 'requestId'));
  }

  private sessionHeaders(
    endpoint: Endpoint,
    { message, revision }: Extract<Posted, { kind: 'initialize' }>,
  ): Readonly<Record<string, string>> {
    const capabilities = readCapabilities(ownObject(message.params, 'capabilities'));
    const facts = { revision, capabilities };
    const id = newSessionId(this.parts.ring, ownerOf(endpoint), facts, { now: Date.now() });
    return { 'mcp-session-id': id };
  }

  private async forward(
    answered: AnsweredMessage,
    received: Exclude<Posted, { kind: 'initialize' }> &
      Pick<EndpointRequest, 'endpoint' | 'message' | 'state'>,
  ): Promise<void> {
    const { context, reply } = answered;
    const { fields } = this.visit;
    const { endpoint, message, numbers, state } = received;
    const ending = new CallEnding();
    const session = received.kind === 'legacy' ? received.session : null;
    const { era, revision, capabilities, client } = clientOf(received);
    // A plain literal: spreads cost more on this path.
    const request: EndpointRequest = {
      context,
      reply,
      endpoint,
      view: null,
      message,
      session,
      state,
      fields,
      numbers,
      signal: ending,
      era,
      revision,
      capabilities,
      client,
    };
    answered.request = request;
    const call = session === null ? null : this.parts.calls.begin(request, session, ending);
    context.whenClientGone({ clientGone: () => (call === null ? ending.abort() : call.clientLeft()) });
    // `subscriptions/listen` opens a stream and is not a call; `ClientStreams` ends it at shutdown.
    if (message.method !== 'subscriptions/listen') this.parts.requestsInFlight.join(context);
    try {
      await this.parts.requests.run(request);
    } finally {
      call?.end();
    }
  }
}

/**
 * Returns the headers by name, with repeated headers kept apart as MCP requires; Node.js would join
 * them.
 */
const fieldsOf = ({ headers, rawHeaders }: IncomingMessage): HeaderFields =>
  Object.keys(headers).length * 2 === rawHeaders.length ? headers : headerFields(rawHeaders);
