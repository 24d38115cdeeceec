import { HEADER } from '@gw/contracts';
import type { GatewayError } from '@gw/kernel';
import { EVENT_STREAM_HEADERS, messageEvent, type JsonObject } from '@gw/mcp';
import type { HeaderList } from '@gw/providers';
import type { RequestContext } from '../core/request-context';
import type { KeepAlive, KeptAlive } from './keep-alive';
import { Reply, type Settle } from './reply';

/** A wait after which a call without a result becomes a stream, so that nothing between us and the client ends it. */
const STREAM_AFTER_MS = 10_000;

/** UTF-16 units of a message that may be left out. */
const NOTICE_LENGTH_MAX = 65_536;
/** Bytes that were sent and not read by the client, above which the gateway waits or leaves messages out. */
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
 * The response to one request of a client of MCP servers or agents: one JSON object, or an event stream once a
 * message precedes the result or, after `streamLater`, the result takes longer than ten seconds.
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

  /** Whether nothing can be sent any more. */
  get isOver(): boolean {
    return this.context.settled || this.context.clientGone;
  }

  /** Calls back once, when the response ends or its client left. */
  whenOver(callback: () => void): void {
    this.context.res.once('close', callback);
  }

  /** Streams from now on, or from ten seconds on. */
  startStream(afterMs = 0): void {
    if (this.isStream || this.isOver) return;
    if (afterMs === 0) this.open();
    else this.timer ??= setTimeout(() => this.startStream(), afterMs).unref();
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

  /** Sends a message that may be left out: one over 64 KiB, and one for a client that does not read. */
  notice(message: JsonObject): void {
    const json = JSON.stringify(message);
    if (json.length <= NOTICE_LENGTH_MAX && this.context.res.writableLength <= UNREAD_BYTES_MAX)
      this.event(json);
  }

  /** Resolves when the client has read nearly all that was sent, or left. A reader that waits for it bounds what is kept for the client. */
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

  /** Sends an event before the last one. `json` has no line breaks, as `JSON.stringify` writes it. */
  event(json: string): void {
    this.startStream();
    this.write(messageEvent(json, this.idOf(json, false)));
  }

  /**
   * Sends the result as JSON, text or UTF-8, and ends the response. Null: a response without a body. `event` is the type of the event that it is
   * in a stream.
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
    if (this.isOver) {
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
    if (!this.isOver) this.open().end(null);
  }

  /** Notes an error of the gateway for the log; the response that the client gets is sent with `end`. */
  failed(error: GatewayError): void {
    this.context.reply.fail(error);
  }

  /** The client disconnected: the record is written, and nothing is sent. */
  leave(): void {
    this.stop();
    const { context } = this;
    if (context.settled) return;
    if (this.isStream) this.abandoned();
    context.reply.clientLeft();
    this.settle(context, () => undefined);
  }

  beat(comment: Buffer): void {
    if (!this.isOver) this.reply?.write(comment);
  }

  protected readonly settle: Settle = (context, onDurable) => {
    if (this.isRecorded) this.options.settle(context, onDurable);
    else {
      this.options.release(context);
      onDurable();
    }
  };

  /** The id of the event of a message in a stream; null when it has none. */
  protected idOf(_json: string | Buffer, _isLast: boolean): string | null {
    return null;
  }

  /** The stream has begun, and no message was sent. */
  protected begun(): void {
    return;
  }

  /** The client left the stream. */
  protected abandoned(): void {
    return;
  }

  protected write(text: string): void {
    if (this.isOver) return;
    this.lastWriteAt = this.options.keepAlive.now;
    this.reply?.write(Buffer.from(text));
  }

  /** Begins the response, as a stream when no result is there yet. */
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
    // Most responses have no further headers, and need no object of all of them.
    const all = isEmpty(this.common) && isEmpty(headers) ? type : { ...type, ...this.common, ...headers };
    for (const name in all) list.push(name, all[name] as string);
    this.reply = new Reply(context, this.settle, null, options.keepBytes);
    this.reply.start(status, list);
    if (isStream) {
      this.isStream = true;
      context.reply.streams();
      options.keepAlive.add(this);
      this.begun();
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
