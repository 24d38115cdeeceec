import { GatewayError, HOUR_MS, randomHex } from '@gw/kernel';
import {
  CODES,
  decodeBody,
  McpFault,
  negotiatedRevision,
  NO_CAPABILITIES,
  own,
  ownObject,
  readCapabilities,
  type LegacyRevision,
  type Received,
  type RequestId,
  type RpcMessage,
  type RpcRequest,
  type SessionFacts,
} from '@gw/mcp';
import type { McpPlace } from '@gw/oauth';
import type { Principals } from '../../auth/principals';
import type { RequestContext } from '../../core/request-context';
import type { CallReplyOptions } from '../../reply/call-reply';
import type { ClientStreams } from '../client-streams';
import type { Endpoint } from '../endpoint';
import type { Endpoints } from '../endpoints';
import type { ListWatches } from '../list-watches/list-watches';
import type { McpReply } from '../mcp-reply';
import type { ResourceWatches } from '../resource-watches/resource-watches';
import { nameOf, ownerOf } from '../session-names';
import type { SessionState, SessionStates } from '../sessions/session-states';
import { SseReplies, type SseReply } from './sse-replies';
import type { SseSessions } from './sse-sessions';

export interface SseDoorParts {
  readonly principals: Pick<Principals, 'resolveAgain'>;
  readonly sessions: SseSessions;
  readonly states: SessionStates;
  readonly streams: ClientStreams;
  readonly watches: ResourceWatches;
  readonly lists: ListWatches;
  readonly endpoints: Endpoints;
  readonly replies: CallReplyOptions;
}

/** A request for a stream, and the address that it names. */
interface OpenedStream {
  readonly endpoint: Endpoint;
  readonly place: McpPlace;
  readonly reply: McpReply;
  readonly context: RequestContext;
}

/** Handles the messages of an SSE stream. */
export interface SseWork {
  /** Answers a request. Never rejects. */
  answer(
    reply: SseReply & { readonly id: RequestId },
    endpoint: Endpoint,
    received: Extract<Received<SessionFacts>, { kind: 'initialize' | 'legacy' }>,
    state: SessionState,
  ): Promise<void>;
  /** Handles a notification or a response. */
  take(endpoint: Endpoint, session: SessionFacts, message: RpcMessage): void;
}

/** Milliseconds until a session expires; longer than the lifetime of a stream. */
const LIFETIME_MS = 2 * HOUR_MS;

/** The revision of a client before its `initialize`. */
const FIRST_REVISION: LegacyRevision = '2024-11-05';

/**
 * The HTTP+SSE transport of 2024-11-05, for old clients: the client receives all messages on one
 * stream and posts its own to another path. A broken stream cannot be resumed; its client begins a
 * new session.
 */
export class SseDoor {
  constructor(private readonly parts: SseDoorParts) {}

  /**
   * Opens the stream of a client. Rejects with a denial with status 429 when there are too many
   * streams.
   */
  async open({ endpoint, place, reply, context }: OpenedStream, work: SseWork): Promise<void> {
    const { sessions, states, streams, watches, lists, endpoints } = this.parts;
    const session = newSession();
    const state = await states.of(nameOf(endpoint, session));
    context.whenClientGone({ clientGone: () => reply.leave() });
    if (reply.hasEnded) return;
    streams.open(endpoint, reply, () => endpoints.current(endpoint), state);
    if (reply.hasEnded) return;
    const client = new SseClient(session, state, new SseReplies(reply, this.parts.replies), work);
    let takenElsewhere = Promise.resolve();
    const takeFromElsewhere = async (body: Buffer): Promise<void> => {
      const now = await this.endpointNow({ endpoint, place, context });
      if (now !== null && !reply.hasEnded) client.take(now, body, context);
    };
    const { id, end } = sessions.open(ownerOf(endpoint), (body, from) => {
      if (from === null) {
        takenElsewhere = takenElsewhere.then(() => takeFromElsewhere(body));
        reply.guard(() => takenElsewhere);
      } else if (!reply.hasEnded) client.take(from.endpoint, body, from.context);
    });
    reply.onceEnded(end);
    reply.endpoint(`${messagesPath(context)}?sessionId=${encodeURIComponent(id)}`);
    watches.ofSession({ current: () => endpoints.current(endpoint), session, state, reply });
    reply.guard(() => lists.watchDuring(endpoint, reply, () => endpoints.current(endpoint)));
  }

  /**
   * Returns the address of a stream for its caller as the caller's documents are now; null when the
   * address no longer exists. A token that has expired since keeps its rights: the client posts with
   * another one, and `ClientStreams` ends streams whose credential was withdrawn.
   */
  private async endpointNow({
    endpoint,
    place,
    context,
  }: Omit<OpenedStream, 'reply'>): Promise<Endpoint | null> {
    const { principals, endpoints } = this.parts;
    try {
      const now = await endpoints.find(await principals.resolveAgain(context.gw.apiKey ?? ''), place);
      return now?.id === endpoint.id ? now : null;
    } catch {
      return endpoints.current(endpoint);
    }
  }

  /**
   * Passes a posted message to the stream of its session. Throws a fault with status 400 or 404, or
   * an error with status 503.
   */
  post({ endpoint, context }: { endpoint: Endpoint; context: RequestContext }): void {
    const { isBatch } = decodeBody(context.body);
    if (isBatch) throw new McpFault(CODES.invalidRequest, 'Send one message at a time.', { status: 400 });
    const id = new URLSearchParams(context.query).get('sessionId') ?? '';
    const outcome = this.parts.sessions.post(id, context.body, { endpoint, context });
    if (outcome === 'unknown')
      throw new McpFault(CODES.invalidRequest, 'Session not found; open the stream again.', { status: 404 });
    if (outcome === 'full')
      throw new GatewayError('unavailable', {
        message:
          'The message cannot be passed on to the gateway with the stream; send a smaller one, or later.',
        headers: { 'retry-after': '1' },
      });
  }
}

/** The client of one stream. */
class SseClient {
  constructor(
    private session: SessionFacts,
    private readonly state: SessionState,
    private readonly replies: SseReplies,
    private readonly work: SseWork,
  ) {}

  take(endpoint: Endpoint, body: Buffer, from: RequestContext): void {
    const { messages, numbers } = decodeBody(body);
    const [message] = messages;
    if (message.kind !== 'request') this.work.take(endpoint, this.session, message);
    else this.replies.guard(() => this.answer(endpoint, message, { numbers }, from));
  }

  private async answer(
    endpoint: Endpoint,
    message: RpcRequest,
    { numbers }: Pick<ReturnType<typeof decodeBody>, 'numbers'>,
    from: RequestContext,
  ): Promise<void> {
    const reply = this.replies.begin(from, message, { numbers, principal: endpoint.caller.principal });
    const { id } = message;
    if (this.replies.isFull) reply.reply.end(JSON.stringify({ jsonrpc: '2.0', id, error: TOO_MANY }));
    else if (message.method === 'initialize') {
      const revision = negotiatedRevision(own(message.params, 'protocolVersion'));
      const capabilities = readCapabilities(ownObject(message.params, 'capabilities'));
      this.session = { ...this.session, revision, capabilities };
      await this.work.answer(
        { ...reply, id },
        endpoint,
        { kind: 'initialize', message, revision },
        this.state,
      );
    } else {
      const received = { kind: 'legacy', messages: [message], isBatch: false, numbers } as const;
      await this.work.answer({ ...reply, id }, endpoint, { ...received, session: this.session }, this.state);
    }
    await this.replies.finish(reply);
  }
}

const TOO_MANY = { code: -32_029, message: 'Too many requests of this session are in flight.' };

function newSession(): SessionFacts {
  const createdAt = Date.now();
  return {
    ...{ revision: FIRST_REVISION, capabilities: NO_CAPABILITIES, nonce: randomHex(32) },
    ...{ createdAt, expiresAt: createdAt + LIFETIME_MS },
  };
}

/** Returns the path for messages, next to the path of the stream. */
function messagesPath({ url, query }: RequestContext): string {
  const path = url.slice(0, url.length - query.length);
  return `${path.slice(0, -'sse'.length)}messages`;
}
