import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError, MINUTE_MS, toGatewayError, type Keyring } from '@gw/kernel';
import {
  checkOrigin,
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
  type HeaderFields,
  type OriginRules,
  type Received,
  type SessionFacts,
} from '@gw/mcp';
import type { McpPlace } from '@gw/oauth';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../auth/principals';
import { RequestContext, type Stage } from '../core/request-context';
import { targetOf } from '../http/request-rules';
import type { RequestsInFlight } from '../in-flight/requests-in-flight';
import { CallReply, type CallReplyOptions } from './call-reply';
import type { ClientInputs } from './client-inputs';
import type { ClientStreams } from './client-streams';
import { refuse, type RefusalParts } from './refusals';
import { Denied } from './denials';
import type { McpRequest } from './mcp-request';
import { MCP_ROUTE } from './mcp-route';
import type { McpServers } from './mcp-servers';
import type { Requests } from './requests';
import type { ResourceWatches } from './resource-watches';
import { RunningCalls } from './running-calls';
import type { SessionStates } from './session-states';
import type { ServerView } from './server-view';

export interface McpDoorParts extends RefusalParts {
  readonly ring: Keyring;
  readonly origins: OriginRules;
  readonly accept: Stage;
  readonly authenticate: Stage;
  readonly receive: Stage;
  readonly servers: McpServers;
  readonly requests: Requests;
  readonly inputs: ClientInputs;
  readonly states: SessionStates;
  readonly streams: ClientStreams;
  readonly watches: ResourceWatches;
  readonly replies: CallReplyOptions;
  readonly underWay: RequestsInFlight;
}

type Posted = Extract<Received<SessionFacts>, { kind: 'modern' | 'initialize' | 'legacy' }>;

/** How long the call of a legacy client that left goes on: clients of that era do not cancel by leaving. */
const LEFT_MS = MINUTE_MS;
const ENDED_SESSIONS_MAX = 100_000;

/** Receives the requests to MCP servers: who calls, which server, which era, and what answers. */
export class McpDoor {
  private readonly running = new RunningCalls();
  /** Sessions that their clients ended; the credential is checked with every request anyway. */
  private readonly ended = new LRUCache<string, true>({
    maxSize: ENDED_SESSIONS_MAX,
    sizeCalculation: () => 1,
  });

  constructor(private readonly parts: McpDoorParts) {}

  handle(id: string, req: IncomingMessage, res: ServerResponse, place: McpPlace): void {
    const { path, query } = targetOf(req.url ?? '/');
    const method = req.method ?? 'GET';
    const context = new RequestContext(id, req, res, method, path + query, query, MCP_ROUTE);
    const fields = fieldsOf(req);
    const reply = new CallReply(context, this.parts.replies, originHeaders(fields));
    const door = new Visit(this.parts, {
      context,
      reply,
      fields,
      place,
      running: this.running,
      ended: this.ended,
    });
    void door.run();
  }
}

interface VisitParts {
  readonly context: RequestContext;
  readonly reply: CallReply;
  readonly fields: HeaderFields;
  readonly place: McpPlace;
  readonly running: RunningCalls;
  readonly ended: LRUCache<string, true>;
}

/** One HTTP request. */
class Visit {
  private request: McpRequest | null = null;
  /** Id of the message, for errors. */
  private messageId: string | number | null = null;

  constructor(
    private readonly parts: McpDoorParts,
    private readonly visit: VisitParts,
  ) {}

  /** Never rejects. */
  async run(): Promise<void> {
    const { reply, context, place } = this.visit;
    try {
      await this.respond();
    } catch (thrown) {
      const failure =
        thrown instanceof McpFault || thrown instanceof Denied ? thrown : toGatewayError(thrown);
      refuse(this.parts, failure, { context, reply, place, request: this.request, id: this.messageId });
    }
  }

  private async respond(): Promise<void> {
    const { context, reply, fields, place } = this.visit;
    const { origins, accept, authenticate, servers } = this.parts;
    checkOrigin(fields, origins);
    if (context.method === 'OPTIONS') {
      reply.end(null, 204, preflightHeaders(fields, origins));
      return;
    }
    await accept.run(context);
    await authenticate.run(context);
    const view = await servers.find(context.principal as Principal, place);
    if (view === null) throw new Denied({ kind: 'server_unknown' }, new GatewayError('not_found'));
    if (context.method === 'POST') await this.parts.receive.run(context);
    const { method, body } = context;
    const received = receive({ method, headers: fields, body }, (id) => this.openSession(view, id));
    if (received.kind === 'stream') this.openStream(view, received.session);
    else if (received.kind === 'end') {
      this.visit.ended.set(received.session.nonce, true);
      reply.end(null, 204);
    } else await this.post(view, received);
  }

  private openSession({ caller, document }: ServerView, id: string): SessionFacts | null {
    const owner = { principal: caller.binding, serverId: document.id };
    const session = openSessionId(this.parts.ring, owner, id, Date.now());
    return session !== null && !this.visit.ended.has(session.nonce) ? session : null;
  }

  private openStream(view: ServerView, session: SessionFacts): void {
    const { reply, context } = this.visit;
    context.whenClientGone({ clientGone: () => reply.leave() });
    this.parts.streams.open(view, reply, () => this.parts.servers.now(view));
    this.parts.watches.ofSession({ view, session, reply, state: this.parts.states.of(session) });
  }

  private async post(view: ServerView, received: Posted): Promise<void> {
    const { reply } = this.visit;
    if (received.kind === 'legacy' && received.isBatch)
      throw new McpFault(-32_600, 'Send one message at a time.', { status: 400 });
    const message = received.kind === 'legacy' ? received.messages[0] : received.message;
    if (message.kind === 'request') this.messageId = message.id;
    const local = localResponse(received, view.facts);
    if (local === null) {
      if (message.kind === 'request' && received.kind !== 'initialize')
        await this.forward({ ...received, view, message });
      return;
    }
    if (received.kind === 'legacy') this.take(view, received);
    const headers = received.kind === 'initialize' ? this.sessionHeaders(view, received) : {};
    reply.end(local.body === null ? null : JSON.stringify(local.body), local.status, headers);
  }

  /** Notifications and responses of a legacy client. */
  private take({ caller }: ServerView, { session, messages }: Extract<Posted, { kind: 'legacy' }>): void {
    const [message] = messages;
    if (message.kind === 'response') this.parts.inputs.take(caller.binding, session.nonce, message);
    else if (message.kind === 'notification' && message.method === 'notifications/cancelled')
      this.visit.running.cancel(session, own(message.params, 'requestId'));
  }

  private sessionHeaders(
    { caller, document }: ServerView,
    { message, revision }: Extract<Posted, { kind: 'initialize' }>,
  ): Readonly<Record<string, string>> {
    const capabilities = readCapabilities(ownObject(message.params, 'capabilities'));
    const owner = { principal: caller.binding, serverId: document.id };
    const id = newSessionId(this.parts.ring, owner, { revision, capabilities }, { now: Date.now() });
    return { 'mcp-session-id': id };
  }

  private async forward(
    received: Exclude<Posted, { kind: 'initialize' }> & Pick<McpRequest, 'view' | 'message'>,
  ): Promise<void> {
    const { context, reply, fields, running } = this.visit;
    const { view, message, numbers } = received;
    const abort = new AbortController();
    const session = received.kind === 'legacy' ? received.session : null;
    const request: McpRequest = {
      ...{ context, reply, view, message, session, fields, signal: abort.signal, numbers },
      state: session && this.parts.states.of(session),
      ...clientOf(received),
    };
    this.request = request;
    const forget = session === null ? null : running.add(session, message.id, abort);
    const left = (): void => abort.abort();
    context.whenClientGone({
      clientGone: () => {
        if (session === null) left();
        else setTimeout(left, LEFT_MS).unref();
      },
    });
    // A stream of changes is no call, and `ClientStreams` ends it.
    if (message.method !== 'subscriptions/listen') this.parts.underWay.join(context);
    try {
      await this.parts.requests.run(request);
    } finally {
      forget?.();
      if (context.clientGone) reply.leave();
    }
  }
}

/** Headers by name. Node.js joins repeated ones, which MCP tells apart. */
const fieldsOf = ({ headers, rawHeaders }: IncomingMessage): HeaderFields =>
  Object.keys(headers).length * 2 === rawHeaders.length ? headers : headerFields(rawHeaders);

/** What a message says about its client. */
function clientOf(
  received: Exclude<Posted, { kind: 'initialize' }>,
): Pick<McpRequest, 'era' | 'revision' | 'capabilities' | 'client'> {
  if (received.kind === 'legacy') return { era: 'legacy', ...received.session, client: {} };
  const { revision, capabilities, client } = received;
  return { era: 'modern', revision, capabilities, client };
}
