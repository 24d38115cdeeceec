import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, type Keyring } from '@gw/kernel';
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
import type { Principals } from '../auth/principals';
import { RequestContext, type Stage } from '../core/request-context';
import { timedReceive } from '../core/timed-receive';
import { targetOf } from '../http/request-rules';
import { callerEnded } from '../in-flight/ended-callers';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import { AnsweredMessage, type AnswerParts } from './answered-message';
import { BatchReply } from './batch-reply';
import { calledEndpoint, type CalledEndpointParts } from './called-endpoint';
import type { CallReplyOptions } from '../reply/call-reply';
import { McpReply } from './mcp-reply';
import type { ClientInputs } from './client-inputs';
import type { Endpoint } from './endpoint';
import { clientOf, type EndpointRequest } from './mcp-request';
import { MCP_ROUTE } from './mcp-route';
import type { Requests } from './requests';
import type { SseDoor, SseWork } from './sse/sse-door';
import { nameOf, ownerOf } from './session-names';
import { hideInput } from './unstored-input';
import type { SessionCalls } from './sessions/session-calls';
import type { SessionState, SessionStates } from './sessions/session-states';
import type { SessionStreams } from './sessions/session-streams';

export interface McpDoorParts extends AnswerParts, CalledEndpointParts {
  readonly ring: Keyring;
  readonly principals: Pick<Principals, 'hasEnded'>;
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
    const reply = new McpReply(context, this.parts.replies, {});
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

/** Handles one HTTP request. */
class Visit {
  constructor(
    private readonly parts: McpDoorParts,
    private readonly visit: VisitParts,
  ) {}

  /** Never rejects. */
  run(): Promise<void> {
    const { reply, context } = this.visit;
    const answered = this.answered(context, reply);
    return answered.run(() => this.respond(answered));
  }

  private answered(context: RequestContext, reply: McpReply, id: RequestId | null = null): AnsweredMessage {
    return new AnsweredMessage(this.parts, this.visit.place, context, reply, id);
  }

  private async respond(answered: AnsweredMessage): Promise<void> {
    const { context, reply, fields, place } = this.visit;
    const { origins } = this.parts;
    reply.addHeaders(originHeaders(fields));
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
        { endpoint, place: this.visit.place, reply, context },
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
    const answered = this.answered(context, reply, id);
    await answered.run(() => this.post(answered, endpoint, received, state));
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
    const batch = new BatchReply(context, reply, requests, received.numbers, this.parts.replies);
    await batch.run(async (part) => {
      const answered = this.answered(part.context, part.reply, part.message.id);
      const alone = { ...received, messages: [part.message], isBatch: false } as const;
      await answered.run(async () => {
        const { principal } = endpoint.caller;
        // Parts wait for others, while their caller may end.
        if (await this.parts.principals.hasEnded(principal)) throw callerEnded();
        await this.post(answered, endpoint, alone, state);
      });
    });
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
      body: context.body,
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
    hideInput(request);
    const call = session === null ? null : this.parts.calls.begin(request, session, ending);
    context.whenClientGone({
      clientGone: () => {
        // A settled request was ended by the gateway: the result of its call is of no use.
        if (call === null || context.settled) ending.abort();
        else call.clientLeft();
      },
    });
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
