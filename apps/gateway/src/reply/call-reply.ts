import { HEADER } from '@gw/contracts';
import type { GatewayError } from '@gw/kernel';
import { EVENT_STREAM_HEADERS, messageEvent, type JsonObject } from '@gw/mcp';
import type { HeaderList } from '@gw/providers';
import type { RequestContext } from '../core/request-context';
import type { KeepAlive, KeptAlive } from './keep-alive';
import { Reply, type Settle } from './reply';

/**
 * Milliseconds after which the response to a call without a result becomes a stream, so that no
 * proxy between gateway and client closes an idle connection.
 */
const STREAM_AFTER_MS = 10_000;

/** Maximum UTF-16 units of a notice; a longer one is dropped. */
const NOTICE_LENGTH_MAX = 65_536;
/**
 * Maximum bytes that the client has not read yet; above it, `drained` waits and `notice` drops
 * messages.
 */
const UNREAD_BYTES_MAX = 65_536;

export interface CallReplyOptions {
  readonly settle: Settle;
  /** Called at the end of a request that gets no log record. */
  readonly release: (context: RequestContext) => void;
  readonly keepAlive: KeepAlive;
  /** Bytes of the response that the log keeps. */
  readonly keepBytes: number;
}

/**
 * The response to one request of a client of MCP servers or agents: one JSON object, or an event
 * stream once a message precedes the result or, after `streamLater`, the result takes longer than
 * ten seconds.
 */
export class CallReply implements KeptAlive {
  lastWriteAt = 0;
  private reply: Reply | null = null;
  protected isStream = false;
  private timer: NodeJS.Timeout | null = null;
  /** Set once the request gets a log record. */
  isRecorded = false;

  constructor(
    protected readonly context: RequestContext,
    protected readonly options: CallReplyOptions,
    /** Headers of every response, such as those for pages of browsers. */
    private common: Readonly<Record<string, string>>,
  ) {}

  /**
   * Whether the response has ended or the client has disconnected, so that nothing more can be
   * sent.
   */
  get hasEnded(): boolean {
    return this.context.settled || this.context.clientGone;
  }

  /** Calls `callback` once, when the response ends or the client disconnects. */
  onceEnded(callback: () => void): void {
    this.context.res.once('close', callback);
  }

  /** Begins an event stream after `afterMs` milliseconds, unless the result arrives before. */
  startStream(afterMs = 0): void {
    if (this.isStream || this.hasEnded) return;
    if (afterMs === 0) this.open();
    else this.timer ??= setTimeout(() => this.guard(() => this.startStream()), afterMs).unref();
  }

  streamLater(): void {
    this.startStream(STREAM_AFTER_MS);
  }

  /** Adds headers to a response that has not begun. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.common = { ...this.common, ...headers };
  }

  /** Sends a message before the result. */
  message(message: JsonObject): void {
    this.event(JSON.stringify(message));
  }

  /**
   * Sends a message that may be dropped: it is dropped when it is longer than `NOTICE_LENGTH_MAX`
   * or the client reads too slowly.
   */
  notice(message: JsonObject): void {
    const json = JSON.stringify(message);
    if (json.length <= NOTICE_LENGTH_MAX && this.context.res.writableLength <= UNREAD_BYTES_MAX)
      this.event(json);
  }

  /**
   * Resolves when the client has read all but `UNREAD_BYTES_MAX` bytes, or has disconnected. A
   * producer that waits for it bounds the memory that one client uses.
   */
  async drained(): Promise<void> {
    const { res } = this.context;
    if (res.writableLength <= UNREAD_BYTES_MAX || res.closed) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        res.off('drain', done).off('close', done);
        resolve();
      };
      res.on('drain', done).on('close', done);
    });
  }

  /** Sends an event before the result. `json` must not contain line breaks. */
  event(json: string): void {
    this.startStream();
    this.write(messageEvent(json, this.idOf(json, false)));
  }

  /**
   * Sends the result and ends the response. `json` is a JSON text, or its UTF-8 bytes; null sends a
   * response without a body. In a stream, the result is an event of the type `event`.
   */
  end(
    json: string | Buffer | null,
    status = 200,
    headers: Readonly<Record<string, string>> = {},
    event: 'message' | 'error' = 'message',
  ): void {
    this.stop();
    const { isStream } = this;
    const id = json === null ? null : this.idOf(json, true);
    if (this.hasEnded) {
      this.leave();
      return;
    }
    const reply = this.open(status, headers, json !== null);
    if (json === null) reply.end(null);
    else if (isStream) reply.end(Buffer.from(messageEvent(json.toString(), id, event)));
    else reply.end(typeof json === 'string' ? Buffer.from(json) : json);
  }

  /** Ends a stream without a message. */
  close(): void {
    this.stop();
    if (!this.hasEnded) this.open().end(null);
  }

  /**
   * Stores an error of the gateway for the log; `end` sends the response that the client receives.
   */
  failed(error: GatewayError): void {
    this.context.reply.fail(error);
  }

  /** Settles the request after the client has disconnected; nothing is sent. */
  leave(): void {
    this.stop();
    const { context } = this;
    if (context.settled) return;
    if (this.isStream) this.abandoned();
    context.reply.clientLeft();
    this.settle(context, () => undefined);
  }

  /**
   * Settles the request and closes its connection, because the response cannot be written. `error`
   * is the reason.
   */
  drop(error: GatewayError): void {
    this.stop();
    const { context } = this;
    context.reply.brokenBy(error);
    this.isRecorded = true;
    this.settle(context, () => this.cut());
  }

  /**
   * Runs work for the response that nothing waits for. What it throws, or its promise rejects with,
   * ends the response.
   */
  guard(work: () => unknown): void {
    this.context.guard(work);
  }

  beat(comment: Buffer): void {
    if (!this.hasEnded) this.reply?.beat(comment);
  }

  protected readonly settle: Settle = (context, onDurable) => {
    if (this.isRecorded) this.options.settle(context, onDurable);
    else {
      this.options.release(context);
      onDurable();
    }
  };

  /**
   * Returns the id of a message's event in a stream; null when the event has none. Subclasses
   * override it.
   */
  protected idOf(_json: string | Buffer, _isLast: boolean): string | null {
    return null;
  }

  /** Closes the connection of a dropped response. Subclasses override it. */
  protected cut(): void {
    this.context.res.destroy();
  }

  /** Called when the stream has begun, before its first message. Subclasses override it. */
  protected streamBegan(): void {
    return;
  }

  /** Called when the client has disconnected from the stream. Subclasses override it. */
  protected abandoned(): void {
    return;
  }

  protected write(text: string): void {
    if (this.hasEnded) return;
    this.lastWriteAt = this.options.keepAlive.now;
    this.reply?.write(Buffer.from(text));
  }

  /**
   * Begins the response: as an event stream when `headers` is null, because there is no result yet.
   */
  private open(status = 200, headers: Readonly<Record<string, string>> | null = null, hasBody = true): Reply {
    if (this.reply !== null) return this.reply;
    const { context, options } = this;
    const isStream = headers === null;
    const type: Readonly<Record<string, string>> = isStream
      ? EVENT_STREAM_HEADERS
      : hasBody
        ? JSON_HEADERS
        : {};
    const list: HeaderList = [HEADER.requestId, context.id];
    // Most responses have no further headers, so the objects need not be merged.
    const all = isEmpty(this.common) && isEmpty(headers) ? type : { ...type, ...this.common, ...headers };
    for (const name in all) list.push(name, all[name] as string);
    this.reply = new Reply(context, this.settle, null, options.keepBytes);
    this.reply.start(status, list);
    if (isStream) {
      this.isStream = true;
      context.reply.streams();
      options.keepAlive.add(this);
      this.streamBegan();
    }
    return this.reply;
  }

  private stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.isStream) this.options.keepAlive.delete(this);
  }
}

function isEmpty(headers: Readonly<Record<string, string>> | null): boolean {
  for (const _ in headers) return false;
  return true;
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };
