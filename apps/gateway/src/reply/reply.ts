import { Buffer } from 'node:buffer';
import { addPiece, atTurnEnd, type GatewayError } from '@gw/kernel';
import type { HeaderList } from '@gw/providers';
import { keepVary } from '../http/cors';
import { contentTypeOf, removeHeader, setHeader, valueOf } from '../http/header-rules';
import { WholeResponse } from '../http/whole-response';
import { errorBody } from './error-body';
import { EventList, isListStream } from './event-list';
import { errorHeaders } from './response-headers';
import { ResponseTail } from './response-tail';
import type { RequestContext } from '../core/request-context';
import type { ReplyWriter } from './request-reply';

/** Settles the request. The log record is durable when the callback runs. */
export type Settle = (context: RequestContext, onDurable: () => void) => void;

/** A source of bytes that can be paused. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * Writes one response to the client. Head and first chunks wait for the end of the current
 * event-loop turn, so that a small response is sent in one write; later chunks do not wait. The
 * last byte is sent only after the log record is durable.
 */
export class Reply implements ReplyWriter {
  private headers: HeaderList = [];
  private early: Buffer[] | null = [];
  private ended = false;
  private blocked = false;
  private sealing: Buffer[] | null = null;
  /** Set for a stream that the client gets as one JSON list. */
  private list: EventList | null = null;
  /** Chunks that will be sent together; null when each is sent immediately. */
  private gathered: Buffer[] | null = null;
  /** True once another response replaces this one, which then writes nothing. */
  private isReplaced = false;
  /** Chunks kept for usage and log, up to `keepBytes`. */
  readonly kept: Buffer[] = [];
  keptBytes = 0;
  truncated = false;
  /** The last bytes of a response that was not kept whole; otherwise null. */
  tail: ResponseTail | null = null;

  constructor(
    private readonly context: RequestContext,
    private readonly settle: Settle,
    /** Paused while the client does not read. */
    private readonly flow: Flow | null,
    private readonly keepBytes: number,
  ) {
    context.reply.writer = this;
  }

  get headSent(): boolean {
    return this.early === null;
  }

  /** Starts the response. The reply may change `headers` from now on. */
  start(status: number, headers: HeaderList): void {
    this.context.reply.status = status;
    this.headers = headers;
    if (isListStream(this.context) && contentTypeOf(headers)?.startsWith('text/event-stream')) {
      this.list = new EventList();
      setHeader(headers, 'content-type', 'application/json; charset=utf-8');
      removeHeader(headers, 'content-length');
    }
    this.context.idempotency?.first?.begin(headers);
    flushHeadAtTurnEnd(this);
  }

  /**
   * Sends everything that `work` writes as one chunk, because a chunk of a stream may contain
   * thousands of events.
   */
  gather(work: () => void): void {
    if (this.gathered !== null) {
      work();
      return;
    }
    this.gathered = [];
    try {
      work();
    } finally {
      this.flushGathered();
    }
  }

  write(chunk: Buffer): void {
    if (chunk.length === 0 || this.context.clientGone || this.isReplaced) return;
    if (this.gathered !== null) this.gathered.push(chunk);
    else this.emit(chunk);
  }

  /** Writes a comment that keeps a silent stream open. What it throws ends this response only. */
  beat(comment: Buffer): void {
    this.context.guard(() => this.write(comment));
  }

  private framed(chunk: Buffer): Buffer {
    return this.list === null ? chunk : this.list.write(chunk);
  }

  private flushGathered(): void {
    const { gathered } = this;
    this.gathered = null;
    if (gathered !== null && gathered.length > 0) this.emit(Buffer.concat(gathered));
  }

  private emit(piece: Buffer): void {
    const chunk = this.framed(piece);
    if (chunk.length === 0) return;
    this.note(chunk);
    if (this.sealing) this.sealing.push(chunk);
    else this.send(chunk);
  }

  /**
   * Writes a chunk that may look like the end of the response, such as the end mark of a stream.
   * The record is durable before the chunk is sent, even if the provider's connection continues.
   */
  seal(last: Buffer): void {
    if (this.isReplaced) return;
    this.flushGathered();
    const chunk = this.framed(last);
    this.note(chunk);
    this.sealing = [chunk];
    this.settle(this.context, () => {
      const queue = this.sealing ?? [];
      this.sealing = null;
      if (this.ended) this.finish(Buffer.concat(queue));
      else for (const piece of queue) this.send(piece);
    });
  }

  /** Returns the kept chunks as one buffer. */
  keptBody(): Buffer {
    return this.kept.length === 1 ? (this.kept[0] as Buffer) : Buffer.concat(this.kept);
  }

  /** Ends the response with a last chunk. The record is durable before the chunk is sent. */
  end(bytes: Buffer | null): void {
    if (this.ended) return;
    this.flushGathered();
    this.ended = true;
    const { list } = this;
    const last = list === null ? bytes : Buffer.concat([list.write(bytes ?? EMPTY), list.end()]);
    if (last && last.length > 0) this.note(last);
    if (this.sealing) {
      if (last) this.sealing.push(last);
      return;
    }
    if (this.context.settled) {
      this.finish(last);
      return;
    }
    this.settle(this.context, () => {
      this.finish(last);
    });
  }

  /** Breaks the connection, so that a cut response cannot look complete. */
  break(): void {
    if (this.ended) return;
    this.flushGathered();
    this.ended = true;
    if (this.context.settled) this.cut();
    else
      this.settle(this.context, () => {
        this.cut();
      });
  }

  withdraw(): boolean {
    if (this.ended || this.early === null || this.early.length > 0) return false;
    this.ended = this.isReplaced = true;
    return true;
  }

  replaceBy(error: GatewayError): () => void {
    const { context, early } = this;
    this.ended = this.isReplaced = true;
    this.sealing = null;
    if (early === null) {
      context.reply.brokenBy(error);
      return () => context.res.destroy();
    }
    const { dialect } = context.route;
    const body = errorBody(error, dialect, context.id);
    context.reply.replacedBy(error, body.length);
    this.early = [];
    this.headers = errorHeaders(error, context);
    return () => this.finish(body);
  }

  private cut(): void {
    if (this.early) this.openBody();
    this.context.res.destroy();
  }

  private send(chunk: Buffer): void {
    if (this.early) this.early.push(chunk);
    else this.push(chunk);
  }

  /** Counts and keeps a chunk, before it is settled and sent. */
  protected note(chunk: Buffer): void {
    const { context } = this;
    context.reply.sent(chunk.length);
    context.idempotency?.first?.write(chunk);
    if (!this.truncated && this.keptBytes + chunk.length <= this.keepBytes) {
      addPiece(this.kept, chunk);
      this.keptBytes += chunk.length;
    } else {
      this.truncated = true;
      this.tail ??= tailOf(this.kept);
      this.tail.write(chunk);
    }
  }

  private finish(last: Buffer | null): void {
    const { res, clientGone } = this.context;
    if (clientGone) return;
    if (isShort(this.headers, this.context)) {
      this.send(last ?? EMPTY);
      this.cut();
      return;
    }
    const { early } = this;
    if (early !== null) this.sendWhole(early, last);
    else if (last && last.length > 0) res.end(last);
    else res.end();
  }

  private sendWhole(early: Buffer[], last: Buffer | null): void {
    const { res } = this.context;
    this.early = null;
    if (last && last.length > 0) early.push(last);
    const whole = early.length === 1 ? (early[0] as Buffer) : Buffer.concat(early);
    const hasLength = withLength(this.headers, whole.length, this.context);
    if (
      hasLength &&
      res instanceof WholeResponse &&
      res.endWhole(this.context.reply.status, this.headers, whole)
    )
      return;
    keepVary(res, this.headers);
    res.writeHead(this.context.reply.status, this.headers);
    if (whole.length > 0) res.end(whole);
    else res.end();
  }

  /** @internal Sends the head of a response that is not complete in this turn. */
  flushHead(): void {
    if (!this.ended) this.context.guard(() => this.openBody());
  }

  private openBody(): void {
    const early = this.early;
    if (early === null || this.context.clientGone) return;
    this.early = null;
    const { res } = this.context;
    res.cork();
    keepVary(res, this.headers);
    res.writeHead(this.context.reply.status, this.headers);
    // Without a first chunk, Node.js would hold the head until one is written.
    if (early.length === 0) res.flushHeaders();
    for (const chunk of early) this.push(chunk);
    res.uncork();
  }

  private push(chunk: Buffer): void {
    const { res } = this.context;
    if (res.write(chunk) || this.blocked || !this.flow) return;
    this.blocked = true;
    this.context.attempts.pace?.clientIsSlow();
    this.flow.pause();
    res.once('drain', () => {
      this.blocked = false;
      this.flow?.resume();
    });
  }
}

const EMPTY = Buffer.alloc(0);
/** Starts a tail with the last kept chunk. */
function tailOf(kept: readonly Buffer[]): ResponseTail {
  const tail = new ResponseTail();
  const last = kept.at(-1);
  if (last) tail.write(last);
  return tail;
}

const flushHeadAtTurnEnd = atTurnEnd((reply: Reply) => reply.flushHead());

const hasNoBody = ({ method, reply: { status } }: RequestContext): boolean =>
  method === 'HEAD' || status === 204 || status === 304;

/**
 * Whether a response has announced more bytes than it sends, so that the client would wait for the
 * rest.
 */
function isShort(headers: HeaderList, context: RequestContext): boolean {
  const announced = valueOf(headers, 'content-length');
  return announced !== undefined && context.reply.bytes < Number(announced) && !hasNoBody(context);
}

/** Adds the length of a complete response. Returns false if the response may have no body. */
function withLength(headers: HeaderList, length: number, context: RequestContext): boolean {
  if (hasNoBody(context)) return false;
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'content-length') return true;
  headers.push('content-length', String(length));
  return true;
}
