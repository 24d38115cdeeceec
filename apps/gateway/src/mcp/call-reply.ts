import { HEADER } from '@gw/contracts';
import type { GatewayError } from '@gw/kernel';
import { EVENT_STREAM_HEADERS, eventId, messageEvent, retryEvent, type JsonObject } from '@gw/mcp';
import type { HeaderList } from '@gw/providers';
import type { RequestContext } from '../core/request-context';
import type { KeepAlive, KeptAlive } from '../reply/keep-alive';
import { Reply, type Settle } from '../reply/reply';
import type { NumberedEvent } from './events/event-store';
import type { StreamTrail } from './events/stream-trail';

/** A wait after which a call without a result becomes a stream, so that nothing between us and the client ends it. */
const STREAM_AFTER_MS = 10_000;
/** After so long, the client of a stream that ended early opens it again. */
const RETRY_MS = 1_000;

export interface CallReplyOptions {
  readonly settle: Settle;
  /** Called at the end of a request that gets no log record. */
  readonly release: (context: RequestContext) => void;
  readonly keepAlive: KeepAlive;
  /** Bytes of the response that the log keeps. */
  readonly keepBytes: number;
}

/**
 * The response to one POST or GET of an MCP client: one JSON object, or an event stream once a message
 * precedes the result or the result takes longer than ten seconds.
 */
export class CallReply implements KeptAlive {
  lastWriteAt = 0;
  private reply: Reply | null = null;
  private isStream = false;
  private timer: NodeJS.Timeout | null = null;
  /** Keeps the messages of a stream that its client can resume; null for every other response. */
  private trail: StreamTrail | null = null;
  private primes = false;
  /** Set once the request gets a log record. */
  isRecorded = false;

  constructor(
    protected readonly context: RequestContext,
    protected readonly options: CallReplyOptions,
    /** Headers of every response, such as those for pages of browsers. */
    private readonly common: Readonly<Record<string, string>>,
  ) {}

  /** Whether nothing can be sent any more. */
  get isOver(): boolean {
    return this.context.settled || this.context.clientGone;
  }

  /** Calls back once, when the response ends or its client left. */
  whenOver(callback: () => void): void {
    this.context.res.once('close', callback);
  }

  /** Makes a stream one that the client can resume. `primes`: the client gets an id before the first message. */
  resumable(trail: StreamTrail, primes: boolean): void {
    this.trail = trail;
    this.primes = primes;
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

  /** Sends a message before the result. */
  message(message: JsonObject): void {
    this.startStream();
    const json = JSON.stringify(message);
    this.write(messageEvent(json, this.kept(json, false)));
  }

  /** Sends an event of another stream that the client resumes. */
  replay(stream: string, { number, json }: NumberedEvent): void {
    if (number > 1 && json !== '') this.write(messageEvent(json, eventId(stream, number)));
  }

  comment(text: string): void {
    this.write(`: ${text}\n\n`);
  }

  /** Sends the result as JSON, text or UTF-8, and ends the response. Null: a response without a body. */
  end(json: string | Buffer | null, status = 200, headers: Readonly<Record<string, string>> = {}): void {
    this.stop();
    const { isStream } = this;
    const id = json === null ? null : this.kept(json, true);
    if (this.isOver) {
      this.leave();
      return;
    }
    const reply = this.open(status, headers, json !== null);
    if (json === null) reply.end(null);
    else if (isStream) reply.end(Buffer.from(messageEvent(json.toString(), id)));
    else reply.end(typeof json === 'string' ? Buffer.from(json) : json);
  }

  /** Ends a stream that its client opens again, perhaps at another gateway. */
  retire(): void {
    this.startStream();
    this.write(retryEvent(RETRY_MS));
    this.close();
  }

  /** Ends a stream without a message. */
  close(): void {
    this.stop();
    if (!this.isOver) this.open().end(null);
  }

  /** The client cancelled its request, which gets no result. */
  cancelled(): void {
    if (this.isOver) {
      this.leave();
      return;
    }
    if (this.isStream) this.trail?.abandon();
    this.context.reply.clientLeft();
    this.close();
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
    if (this.isStream) this.trail?.abandon();
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

  /** Keeps a message for a client that resumes; the id of its event, null when there is none. */
  private kept(json: string | Buffer, isLast: boolean): string | null {
    const { trail } = this;
    if (trail === null || !this.isStream || this.context.settled) return null;
    if (!isLast) return trail.add(json.toString());
    this.trail = null;
    return trail.finish(json.toString());
  }

  private write(text: string): void {
    if (this.isOver) return;
    this.lastWriteAt = this.options.keepAlive.now;
    this.reply?.write(Buffer.from(text));
  }

  /** Begins the response, as a stream when no result is there yet. */
  private open(status = 200, headers: Readonly<Record<string, string>> | null = null, hasBody = true): Reply {
    if (this.reply !== null) return this.reply;
    const { context, options } = this;
    const isStream = headers === null;
    const type = isStream ? EVENT_STREAM_HEADERS : hasBody ? JSON_HEADERS : {};
    const list: HeaderList = [HEADER.requestId, context.id];
    for (const [name, value] of Object.entries({ ...type, ...this.common, ...headers }))
      list.push(name, value);
    this.reply = new Reply(context, this.settle, null, options.keepBytes);
    this.reply.start(status, list);
    if (isStream) {
      this.isStream = true;
      context.reply.streams();
      options.keepAlive.add(this);
      this.begin();
    }
    return this.reply;
  }

  /** Gives the client an id from which on it can resume. */
  private begin(): void {
    if (this.trail === null || this.trail.hasBegun) return;
    const id = this.trail.begin();
    if (this.primes) this.write(`id: ${id}\nretry: ${String(RETRY_MS)}\ndata: \n\n`);
  }

  private stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.isStream) this.options.keepAlive.delete(this);
  }
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };
