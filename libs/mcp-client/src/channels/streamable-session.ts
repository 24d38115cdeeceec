import { isVisibleAscii } from '@gw/kernel';
import { requestBody, type Era, type JsonObject, type LegacyRevision } from '@gw/mcp';
import type { EventParser } from '@gw/outbound';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAbort } from '../http/before-abort';
import { CallClock } from '../http/call-clock';
import { eventParser } from '../http/event-parser';
import type { UpstreamHttp, UpstreamHttpResponse } from '../http/upstream-http';
import { UPSTREAM_BOUNDS, type UpstreamTimeouts } from '../limits';
import { readMessages, type UpstreamMessage } from '../rpc/messages';
import { assertSuccess, resultOf } from '../rpc/response-fault';
import { closed, protocolError, UpstreamError } from '../upstream-error';
import {
  encoded,
  encodedRequest,
  POST_HEADERS,
  type Channel,
  type ChannelRequest,
  type DeclaredClient,
  type ServerFacts,
} from './channel';
import { sendFarewell } from './farewell';
import { INITIALIZED, initializeParams, readInitialized } from './handshake';
import { Listeners } from './listeners';
import { RequestRouter } from './request-router';
import { CallMessages, endedEarly, type OnMessage } from './response-of';
import { ServerStream } from './server-stream';

const FIRST_ID = 0;
/** Delay before a stream is resumed if the stream sets none, in milliseconds. */
const RETRY_MS = 500;

interface Opened {
  readonly sessionId: string | null;
  readonly revision: LegacyRevision;
  readonly facts: ServerFacts;
}

/** A session of streamable HTTP, 2025-03-26 to 2025-11-25. */
export class StreamableSession implements Channel {
  readonly era: Era = 'legacy';
  readonly revision: string;
  readonly facts: ServerFacts;
  isOpen = true;
  private readonly router = new RequestRouter((message) => this.farewell(message));
  private readonly listeners = new Listeners();
  private readonly stream: ServerStream;

  private constructor(
    private readonly http: UpstreamHttp,
    private readonly opened: Opened,
    private readonly timeouts: UpstreamTimeouts,
  ) {
    this.revision = opened.revision;
    this.facts = opened.facts;
    this.stream = new ServerStream({
      ...{ timeouts, memory: http.memory },
      open: (lastEventId, clock) => this.get(lastEventId, {}, clock),
      onRefused: (error, wasOpen) => {
        // The stream was open before, so the server has forgotten the session.
        if (wasOpen && error.status === 404) this.isOpen = false;
        this.listeners.fail(error);
      },
      onMessage: (received) => {
        if (received.message.kind === 'request') this.router.route(received.message);
        else if (received.message.kind === 'notification') this.listeners.push(received);
      },
    });
  }

  /** Opens a session with `initialize` and `notifications/initialized`. */
  static async open(
    http: UpstreamHttp,
    client: DeclaredClient,
    timeouts: UpstreamTimeouts,
    clock: CallClock,
  ): Promise<StreamableSession> {
    const body = encoded(requestBody(FIRST_ID, 'initialize', initializeParams(client)));
    const response = await http.send({ method: 'POST', headers: POST_HEADERS, body }, clock);
    await assertSuccess(response);
    const result = await initialized(response);
    const sessionId = sessionIdOf(response);
    const session = new StreamableSession(http, { ...readInitialized(result), sessionId }, timeouts);
    try {
      await session.post(INITIALIZED, clock);
    } catch (error) {
      void session.close();
      throw error;
    }
    return session;
  }

  get hasSession(): boolean {
    return this.opened.sessionId !== null;
  }

  /**
   * Opens the GET stream first if the call handles requests, because servers may send them there.
   */
  async exchange(request: ChannelRequest, clock: CallClock, onMessage: OnMessage): Promise<UpstreamMessage> {
    const { id, onRequest } = request;
    if (onRequest === null) return this.exchangeByPost(request, clock, onMessage);
    this.router.add(id, onRequest);
    let failure: unknown = null;
    try {
      await beforeAbort(this.stream.use(), clock);
      return await this.exchangeByPost(request, clock, onMessage);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.stream.release();
      this.router.delete(id, failure);
    }
  }

  async *listen(_: JsonObject, __: number, clock: CallClock): AsyncGenerator<UpstreamMessage, void> {
    const queue = this.listeners.add(clock);
    try {
      await beforeAbort(this.stream.use(), clock);
      if (this.stream.refusal !== null) throw this.stream.refusal;
      yield* queue;
    } finally {
      this.stream.release();
      this.listeners.delete(queue);
    }
  }

  private async exchangeByPost(
    request: ChannelRequest,
    clock: CallClock,
    onMessage: OnMessage,
  ): Promise<UpstreamMessage> {
    const { id, extra } = request;
    const headers = { ...POST_HEADERS, ...this.sessionHeaders() };
    const body = encodedRequest(request);
    const parser = eventParser(clock.memory);
    const messages = new CallMessages(id, onMessage);
    let response = await this.http.send({ method: 'POST', headers, body, extra }, clock);
    await assertSuccess(response);
    for (let resumesWithoutEvent = 0; ;) {
      const eventBefore = parser.lastEventId;
      const failure = await this.attempt(response, parser, messages);
      if (messages.response !== null) return messages.response;
      resumesWithoutEvent = parser.lastEventId === eventBefore ? resumesWithoutEvent + 1 : 0;
      if (
        parser.lastEventId === null ||
        resumesWithoutEvent >= UPSTREAM_BOUNDS.resumesMax ||
        clock.aborted !== null
      )
        throw failure;
      response = await this.resume(parser, clock, extra);
    }
  }

  async post(message: JsonObject, clock: CallClock): Promise<void> {
    const headers = { ...POST_HEADERS, ...this.sessionHeaders() };
    const response = await this.http.send({ method: 'POST', headers, body: encoded(message) }, clock);
    await assertSuccess(response);
    response.body.expectEnd();
    response.body.discard();
  }

  farewell(message: JsonObject): Promise<void> {
    return sendFarewell(this, message, this.timeouts.farewellMs);
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.stream.stop();
    this.listeners.fail(closed(true));
    if (!this.hasSession) return;
    const { farewellMs } = this.timeouts;
    const clock = new CallClock({ totalMs: farewellMs, idleMs: farewellMs });
    try {
      const response = await this.http.send(
        { method: 'DELETE', headers: this.sessionHeaders(), body: null },
        clock,
      );
      response.body.expectEnd();
      response.body.discard();
    } catch {
      // Without the DELETE, the upstream ends the session by its own time limit.
    } finally {
      clock.end();
    }
  }

  /**
   * Reads one stream until the response. Returns why the stream ended, if it ended before the
   * response.
   */
  private async attempt(
    response: UpstreamHttpResponse,
    parser: EventParser,
    messages: CallMessages,
  ): Promise<UpstreamError> {
    try {
      await readMessages(response, parser, messages.take);
      return endedEarly();
    } catch (error) {
      if (error instanceof UpstreamError && error.kind === 'interrupted') return error;
      throw error;
    }
  }

  /** Resumes the stream of a request after its last event, without repeating the request. */
  private async resume(
    parser: EventParser,
    clock: CallClock,
    extra: Readonly<Record<string, string>>,
  ): Promise<UpstreamHttpResponse> {
    try {
      await delay(parser.retryMs ?? RETRY_MS, undefined, { signal: clock.signal });
    } catch (cause) {
      throw clock.aborted ?? cause;
    }
    parser.restart();
    const response = await this.get(parser.lastEventId, extra, clock);
    try {
      await assertSuccess(response);
    } catch (cause) {
      // The upstream accepted the request itself, so the status of the resumption must not be
      // reported as its status.
      throw new UpstreamError('interrupted', 'The stream ended before its response and cannot be resumed.', {
        mayHaveExecuted: true,
        cause,
      });
    }
    return response;
  }

  private get(
    lastEventId: string | null,
    extra: Readonly<Record<string, string>>,
    clock: CallClock,
  ): Promise<UpstreamHttpResponse> {
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId !== null && { 'last-event-id': lastEventId }),
      ...this.sessionHeaders(),
    };
    return this.http.send({ method: 'GET', headers, body: null, extra }, clock);
  }

  private sessionHeaders(): Readonly<Record<string, string>> {
    const { sessionId, revision } = this.opened;
    return {
      'mcp-protocol-version': revision,
      ...(sessionId !== null && { 'mcp-session-id': sessionId }),
    };
  }
}

async function initialized(response: UpstreamHttpResponse): Promise<JsonObject> {
  const messages = new CallMessages(FIRST_ID, () => undefined);
  await readMessages(response, eventParser(null), messages.take);
  if (messages.response === null) throw endedEarly();
  return resultOf(messages.response, { mayHaveExecuted: false }).value;
}

/**
 * Returns the session id that the upstream assigned, null for none. Throws unless it is visible
 * ASCII of at most 1,024 characters.
 */
function sessionIdOf({ headers }: UpstreamHttpResponse): string | null {
  const id = headers.get('mcp-session-id');
  if (id === undefined) return null;
  if (isVisibleAscii(id) && id.length <= UPSTREAM_BOUNDS.sessionIdLengthMax) return id;
  throw protocolError('The session id of the upstream is not valid.', { mayHaveExecuted: false });
}
