import { Buffer } from 'node:buffer';
import { atTurnEnd } from '@gw/kernel';
import type { HeaderList } from '@gw/providers';
import { valueOf } from '../http/header-rules';
import { WholeResponse } from '../http/whole-response';
import { ResponseTail } from './response-tail';
import type { RequestContext } from '../core/request-context';
import type { ReplyWriter } from './request-reply';

/** Settles the request: the log record is durable once the callback runs. */
export type Settle = (context: RequestContext, onDurable: () => void) => void;

/** A source that can slow down. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/**
 * Writes one answer to the client. Head and first pieces wait for the end of the current turn of the event loop, so that a
 * small answer leaves in one write; nothing waits longer. The last byte is sent only after the log record is durable.
 */
export class Reply implements ReplyWriter {
  private headers: HeaderList = [];
  private early: Buffer[] | null = [];
  private ended = false;
  private blocked = false;
  private sealing: Buffer[] | null = null;
  /** Pieces that go out as one; null: each goes at once. */
  private gathered: Buffer[] | null = null;
  /** Pieces kept for usage and log, up to `keepBytes`. */
  readonly kept: Buffer[] = [];
  keptBytes = 0;
  truncated = false;
  /** The last bytes of an answer that was not kept whole. */
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

  /** `headers` is the reply's own from now on. */
  start(status: number, headers: HeaderList): void {
    this.context.reply.status = status;
    this.headers = headers;
    this.context.idempotency?.first?.begin(headers);
    flushHeadAtTurnEnd(this);
  }

  /** What `work` writes goes out as one piece: a piece of a stream may hold thousands of events. */
  gather(work: () => void): void {
    if (this.gathered !== null) {
      work();
      return;
    }
    this.gathered = [];
    try {
      work();
    } finally {
      this.letGo();
    }
  }

  write(chunk: Buffer): void {
    if (chunk.length === 0 || this.context.clientGone) return;
    if (this.gathered !== null) this.gathered.push(chunk);
    else this.pieceOut(chunk);
  }

  private letGo(): void {
    const { gathered } = this;
    this.gathered = null;
    if (gathered !== null && gathered.length > 0) this.pieceOut(Buffer.concat(gathered));
  }

  private pieceOut(chunk: Buffer): void {
    this.note(chunk);
    if (this.sealing) this.sealing.push(chunk);
    else this.send(chunk);
  }

  /**
   * Writes a piece after which a client may take the answer for whole, such as the end mark of a stream: the record is durable
   * before it is sent, even when the provider's connection goes on.
   */
  seal(chunk: Buffer): void {
    this.letGo();
    this.note(chunk);
    this.sealing = [chunk];
    this.settle(this.context, () => {
      const queue = this.sealing ?? [];
      this.sealing = null;
      if (this.ended) this.finish(Buffer.concat(queue));
      else for (const piece of queue) this.send(piece);
    });
  }

  /** What was kept, in one piece. */
  keptBody(): Buffer {
    return this.kept.length === 1 ? (this.kept[0] as Buffer) : Buffer.concat(this.kept);
  }

  /** Ends the answer with a last piece. The record is written before it is sent. */
  end(last: Buffer | null): void {
    if (this.ended) return;
    this.letGo();
    this.ended = true;
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

  /** Breaks the connection, so that a cut answer can't look complete. */
  break(): void {
    if (this.ended) return;
    this.letGo();
    this.ended = true;
    if (this.context.settled) this.cut();
    else
      this.settle(this.context, () => {
        this.cut();
      });
  }

  private cut(): void {
    if (this.early) this.openBody();
    this.context.res.destroy();
  }

  private send(chunk: Buffer): void {
    if (this.early) this.early.push(chunk);
    else this.push(chunk);
  }

  /** Each piece of the answer, before it is settled and sent. */
  protected note(chunk: Buffer): void {
    const { context } = this;
    context.reply.sent(chunk.length);
    context.idempotency?.first?.write(chunk);
    if (!this.truncated && this.keptBytes + chunk.length <= this.keepBytes) {
      this.kept.push(chunk);
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
    res.writeHead(this.context.reply.status, this.headers);
    if (whole.length > 0) res.end(whole);
    else res.end();
  }

  /** @internal Sends the head of an answer that goes on. */
  flushHead(): void {
    if (!this.ended) this.openBody();
  }

  private openBody(): void {
    const early = this.early;
    if (early === null || this.context.clientGone) return;
    this.early = null;
    const { res } = this.context;
    res.cork();
    res.writeHead(this.context.reply.status, this.headers);
    // Without a first piece the head would wait for one.
    if (early.length === 0) res.flushHeaders();
    for (const chunk of early) this.push(chunk);
    res.uncork();
  }

  private push(chunk: Buffer): void {
    const { res } = this.context;
    if (res.write(chunk) || this.blocked || !this.flow) return;
    this.blocked = true;
    this.context.attempts.pace?.holdUp();
    this.flow.pause();
    res.once('drain', () => {
      this.blocked = false;
      this.flow?.resume();
    });
  }
}

const EMPTY = Buffer.alloc(0);
/** Begun with the last piece that was kept. */
function tailOf(kept: readonly Buffer[]): ResponseTail {
  const tail = new ResponseTail();
  const last = kept.at(-1);
  if (last) tail.write(last);
  return tail;
}

const flushHeadAtTurnEnd = atTurnEnd((reply: Reply) => reply.flushHead());

const hasNoBody = ({ method, reply: { status } }: RequestContext): boolean =>
  method === 'HEAD' || status === 204 || status === 304;

/** Whether an answer has announced more bytes than it has, so that its client would wait for the rest. */
function isShort(headers: HeaderList, context: RequestContext): boolean {
  const announced = valueOf(headers, 'content-length');
  return announced !== undefined && context.reply.bytes < Number(announced) && !hasNoBody(context);
}

/** A whole answer says how long it is, unless it may have no body: false. */
function withLength(headers: HeaderList, length: number, context: RequestContext): boolean {
  if (hasNoBody(context)) return false;
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'content-length') return true;
  headers.push('content-length', String(length));
  return true;
}
