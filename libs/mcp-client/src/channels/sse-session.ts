import type { Era, JsonObject } from '@gw/mcp';
import type { StreamedEvent } from '@gw/outbound';
import { CallClock } from '../http/call-clock';
import { eventParser } from '../http/event-parser';
import type { UpstreamHttp, UpstreamHttpResponse } from '../http/upstream-http';
import type { UpstreamTimeouts } from '../limits';
import { messageOf, type UpstreamMessage } from '../rpc/messages';
import { assertSuccess, resultOf } from '../rpc/response-fault';
import { closed, protocolError, UpstreamError } from '../upstream-error';
import { CallsOnStream } from './calls-on-stream';
import {
  encoded,
  encodedRequest,
  ownRequest,
  POST_HEADERS,
  type Channel,
  type ChannelRequest,
  type DeclaredClient,
  type ServerFacts,
} from './channel';
import { sendFarewell } from './farewell';
import { INITIALIZED, initializeParams, readInitialized } from './handshake';
import { Listeners } from './listeners';
import { MessageQueue } from './message-queue';
import { RequestRouter } from './request-router';
import { CallMessages, endedEarly, type OnMessage } from './response-of';

const FIRST_ID = 0;
const NO_FACTS: ServerFacts = { capabilities: {}, serverInfo: {}, instructions: null };

/**
 * HTTP+SSE of 2024-11-05: one GET stream delivers all messages, and its first event names the
 * address for POSTs. Requests and notifications that name no call belong to the only call in
 * flight. With several calls, or soon after an abandoned one, requests are refused and only
 * listeners get the notifications, so that no message reaches another caller.
 */
export class SseSession implements Channel {
  readonly era: Era = 'legacy';
  readonly hasSession = true;
  revision = '2024-11-05';
  facts: ServerFacts = NO_FACTS;
  isOpen = true;
  private readonly pending = new CallsOnStream<MessageQueue>();
  private readonly router = new RequestRouter((message) => this.farewell(message));
  private readonly listeners = new Listeners();
  private endpoint: URL | null = null;
  private onEndpoint: ((error: UpstreamError | null) => void) | null = null;

  private constructor(
    private readonly http: UpstreamHttp,
    private readonly streamClock: CallClock,
    private readonly timeouts: UpstreamTimeouts,
  ) {}

  /** Opens the stream and the session in it. */
  static async open(
    http: UpstreamHttp,
    client: DeclaredClient,
    timeouts: UpstreamTimeouts,
    clock: CallClock,
  ): Promise<SseSession> {
    const limits = { totalMs: STREAM_MS, idleMs: timeouts.streamIdleMs };
    const streamClock = new CallClock(limits, null, http.memory);
    const onAbort = (): void => streamClock.abort(clock.aborted ?? closed(false));
    clock.onAbort(onAbort);
    const session = new SseSession(http, streamClock, timeouts);
    try {
      await session.start();
      await session.initialize(client, clock);
      return session;
    } catch (error) {
      session.end(error as UpstreamError);
      throw error;
    } finally {
      clock.offAbort(onAbort);
    }
  }

  async exchange(request: ChannelRequest, clock: CallClock, onMessage: OnMessage): Promise<UpstreamMessage> {
    const { id, extra, onRequest } = request;
    const queue = new MessageQueue(clock);
    const messages = new CallMessages(id, onMessage);
    this.pending.add(id, queue);
    if (onRequest !== null) this.router.add(id, onRequest);
    let failure: unknown = null;
    try {
      await this.send(encodedRequest(request), clock, extra);
      for await (const each of queue) if (messages.take(each)) return each;
      throw endedEarly();
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.pending.delete(id, failure);
      this.router.delete(id, failure);
    }
  }

  async *listen(_: JsonObject, __: number, clock: CallClock): AsyncGenerator<UpstreamMessage, void> {
    const queue = this.listeners.add(clock);
    try {
      yield* queue;
    } finally {
      this.listeners.delete(queue);
    }
  }

  post(message: JsonObject, clock: CallClock): Promise<void> {
    return this.send(encoded(message), clock, {});
  }

  farewell(message: JsonObject): Promise<void> {
    return sendFarewell(this, message, this.timeouts.farewellMs);
  }

  close(): Promise<void> {
    this.end(closed(true));
    return Promise.resolve();
  }

  private async start(): Promise<void> {
    const headers = { accept: 'text/event-stream' };
    const response = await this.http.send({ method: 'GET', headers, body: null }, this.streamClock);
    await assertSuccess(response);
    if (response.headers.mediaType !== 'text/event-stream') {
      response.body.discard();
      throw protocolError('The upstream sends no event stream.', { mayHaveExecuted: false });
    }
    const endpoint = new Promise<void>((resolve, reject) => {
      this.onEndpoint = (error) => (error === null ? resolve() : reject(error));
    });
    void this.read(response);
    await endpoint;
  }

  private async initialize(client: DeclaredClient, clock: CallClock): Promise<void> {
    const request = ownRequest(FIRST_ID, 'initialize', initializeParams(client));
    const response = await this.exchange(request, clock, () => undefined);
    const { revision, facts } = readInitialized(resultOf(response, { mayHaveExecuted: false }).value);
    [this.revision, this.facts] = [revision, facts];
    await this.post(INITIALIZED, clock);
  }

  /** Reads the stream until it ends, which ends the session. */
  private async read(response: UpstreamHttpResponse): Promise<void> {
    const parser = eventParser(this.streamClock.memory);
    try {
      for await (const chunk of response.body) for (const event of parser.push(chunk)) this.take(event);
      this.end(endedEarly());
    } catch (error) {
      this.end(error as UpstreamError);
    }
  }

  private take(event: StreamedEvent): void {
    if (event.type === 'endpoint') this.takeEndpoint(event.data.toString('utf8'));
    else if (event.type === 'message') this.route(messageOf(event.data));
  }

  /**
   * Accepts the first endpoint, if it is on the origin of the stream, because it receives the
   * credentials.
   */
  private takeEndpoint(text: string): void {
    if (this.endpoint !== null) return;
    const url = URL.canParse(text, this.http.url.href) ? new URL(text, this.http.url) : null;
    if (url?.origin !== this.http.url.origin)
      throw protocolError('The endpoint of the stream is not on its origin.', { mayHaveExecuted: false });
    url.hash = '';
    this.endpoint = url;
    this.onEndpoint?.(null);
  }

  private route(received: UpstreamMessage): void {
    const { message } = received;
    if (message.kind === 'request') this.router.route(message);
    else if (message.kind === 'response') this.queueOf(message.id)?.push(received);
    else if (message.method === 'notifications/progress')
      this.queueOf(message.params['progressToken'])?.push(received);
    else {
      this.queueOf(null)?.push(received);
      this.listeners.push(received);
    }
  }

  /**
   * Returns the queue of the call that an id names, or without an id that of the only call in
   * flight.
   */
  private queueOf(id: unknown): MessageQueue | undefined {
    return id === null ? this.pending.only() : this.pending.get(Number(id));
  }

  private async send(body: Buffer, clock: CallClock, extra: Readonly<Record<string, string>>): Promise<void> {
    if (this.endpoint === null || !this.isOpen) throw closed(false);
    const response = await this.http.send(
      {
        method: 'POST',
        url: this.endpoint,
        headers: {
          ...POST_HEADERS,
          ...(this.facts !== NO_FACTS && { 'mcp-protocol-version': this.revision }),
        },
        body,
        extra,
      },
      clock,
    );
    await assertSuccess(response);
    response.body.expectEnd();
    response.body.discard();
  }

  private end(error: UpstreamError): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.onEndpoint?.(error);
    for (const queue of this.pending.values()) queue.fail(error);
    this.listeners.fail(error);
    this.streamClock.abort(error);
    this.streamClock.end();
  }
}

/** Maximum duration of a stream; the next call opens another. */
const STREAM_MS = 3_600_000;
