import { META, upstreamHeaders, type Era, type JsonObject } from '@gw/mcp';
import type { CallClock } from '../http/call-clock';
import { eventParser } from '../http/event-parser';
import type { UpstreamHttp } from '../http/upstream-http';
import { readMessages, type UpstreamMessage } from '../rpc/messages';
import { faultOf, isSuccess } from '../rpc/response-fault';
import { cancelled, type UpstreamError } from '../upstream-error';
import {
  encodedRequest,
  ownRequest,
  POST_HEADERS,
  withMember,
  type Channel,
  type ChannelRequest,
  type DeclaredClient,
  type ServerFacts,
} from './channel';
import { MessageQueue } from './message-queue';
import { CallMessages, endedEarly, type OnMessage } from './response-of';

/** Streamable HTTP of 2026-07-28: every request is a POST that depends on no other. */
export class ModernChannel implements Channel {
  readonly era: Era = 'modern';
  readonly hasSession = false;
  readonly isOpen = true;
  /** Members of `_meta` that all requests have, in JSON. */
  private readonly ownMeta: string;

  constructor(
    private readonly http: UpstreamHttp,
    readonly revision: string,
    client: DeclaredClient,
    readonly facts: ServerFacts | null,
  ) {
    this.ownMeta = writtenMeta(revision, client);
  }

  async exchange(request: ChannelRequest, clock: CallClock, onMessage: OnMessage): Promise<UpstreamMessage> {
    const { id, method, params, extra } = request;
    const response = await this.http.send(
      {
        method: 'POST',
        headers: {
          ...POST_HEADERS,
          ...upstreamHeaders(this.revision, { method, params }, []),
          ...request.headers,
        },
        body: encodedRequest(request, this.ownMeta),
        extra,
      },
      clock,
    );
    if (!isSuccess(response)) throw await faultOf(response);
    const messages = new CallMessages(id, onMessage);
    await readMessages(response, eventParser(clock.memory), messages.take);
    if (messages.response === null) throw endedEarly();
    return messages.response;
  }

  async *listen(filter: JsonObject, id: number, clock: CallClock): AsyncGenerator<UpstreamMessage, void> {
    const request = ownRequest(id, 'subscriptions/listen', filter);
    const queue = new MessageQueue(clock);
    this.exchange(request, clock, (message) => queue.push(message)).then(
      (response) => queue.end(response),
      (error: unknown) => queue.fail(error as UpstreamError),
    );
    try {
      yield* queue;
    } finally {
      // Ends the subscription, which is the request itself, when the reader stops.
      clock.abort(cancelled(true));
    }
  }

  /** Does nothing: modern servers accept neither notifications nor responses over HTTP. */
  post(): Promise<void> {
    return Promise.resolve();
  }

  /** Does nothing: a modern server cancels a call when the connection of its request closes. */
  farewell(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function writtenMeta(revision: string, { capabilities, clientInfo }: DeclaredClient): string {
  const members = withMember('', META.version, revision);
  return withMember(withMember(members, META.capabilities, capabilities), META.client, clientInfo);
}
