import type { Readable } from 'node:stream';
import type { AnswerHead } from './answer-head';
import type { AnswerParser } from './answer-parser';
import type { Connection } from './connection';
import type { ConnectionPool } from './connection-pool';
import {
  bodyBroke,
  clientIsClosed,
  connectionBroke,
  handlerThrew,
  isClosedByPeer,
  reusedConnectionClosed,
  noConnectionFree,
} from './failures';
import { NO_HANDLER, NO_REQUEST } from './nothing';
import { encodeHead } from './request-head';
import { WheelEntry, type TimerWheel } from './timer-wheel';
import {
  OutboundError,
  type BodySource,
  type OutboundCall,
  type OutboundHandler,
  type OutboundRequest,
} from './types';

/** What a call needs of its client. */
export interface CallHost {
  readonly wheel: TimerWheel;
  /** Calls that have begun and not ended. */
  running: number;
}

/** One call, and at the same time its entry in the timer wheel: one object per call. */
export class Call extends WheelEntry implements OutboundCall {
  /** Request line and headers, once it has entered a pool. */
  head = '';
  private waitsIn: ConnectionPool | null = null;
  private connection: Connection | null = null;
  private ended = false;
  /** The body, where it is a source. */
  private opened: Readable | null = null;
  /** A byte of the answer has come. */
  private answerBegan = false;
  /** The head of the answer has been passed on. */
  private hasHead = false;
  private paused = false;
  /** What of the body arrived after `pause`. */
  private held: Buffer | null = null;
  private connectBy: number;
  private headersBy: number;
  private readonly totalBy: number;
  private readonly startedAt = performance.now();
  /** Beginning of the present silence of the body; Infinity before the body and while paused. */
  private silentSince = Infinity;

  constructor(
    private readonly host: CallHost,
    private request: OutboundRequest,
    private handler: OutboundHandler,
  ) {
    super();
    const { connectTimeoutMs, headersTimeoutMs, totalTimeoutMs } = request;
    const now = this.startedAt;
    this.connectBy = connectTimeoutMs > 0 ? now + connectTimeoutMs : Infinity;
    this.headersBy = headersTimeoutMs > 0 ? now + headersTimeoutMs : Infinity;
    this.totalBy = totalTimeoutMs > 0 ? now + totalTimeoutMs : Infinity;
    host.running += 1;
    this.arm(Math.min(this.connectBy, this.headersBy, this.totalBy));
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  get body(): Buffer | BodySource | null {
    return this.request.body;
  }

  get holder(): string {
    return this.request.holder ?? '';
  }

  /** The body from its beginning. */
  openBody(source: BodySource): Readable {
    const stream = source.open();
    stream.on('error', (cause: Error) => this.fail(bodyBroke(cause)));
    this.opened = stream;
    return stream;
  }

  pause(): void {
    if (this.ended || this.paused) return;
    this.paused = true;
    this.silentSince = Infinity;
    // The head of the answer is given even to a paused call.
    if (this.hasHead) this.connection?.pauseReading();
  }

  resume(): void {
    if (this.ended || !this.paused) return;
    this.paused = false;
    if (!this.hasHead) return;
    this.beginSilence();
    // Not at once: a handler must not be called from within its own call.
    process.nextTick(continueReading, this);
  }

  abort(): void {
    this.fail(new OutboundError('aborted', 'The call was aborted.'));
  }

  /** Ends the call because its client is closed. */
  stop(): void {
    this.fail(clientIsClosed());
  }

  /** Ends the call with `error`, unless it has ended. */
  fail(error: OutboundError): void {
    if (!this.end()) return;
    const { handler, connection } = this;
    this.connection = null;
    this.closeBody();
    if (connection) connection.pool.discard(connection);
    else this.waitsIn?.stopWaiting(this);
    this.letGo();
    tell(handler, error);
  }

  /** Fails after the caller has received the call object. */
  failSoon(error: OutboundError): void {
    process.nextTick(() => this.fail(error));
  }

  /** Puts the call on a connection of the pool, now or when one is free. @throws OutboundError `unreachable` */
  enter(pool: ConnectionPool): void {
    this.waitsIn = pool;
    this.head = encodeHead(this.request, pool.address);
    pool.take(this, this.startedAt);
  }

  startOn(connection: Connection): void {
    this.connection = connection;
    connection.start(this);
  }

  /** The connection is open. */
  onSend(): void {
    this.connectBy = Infinity;
  }

  onBodyBroken(): void {
    this.fail(bodyBroke());
  }

  /** Passes on what the connection has read. */
  onAnswer({ parser }: Connection): void {
    this.answerBegan = true;
    try {
      if (parser.hasHead && !this.hasHead) this.giveHead(parser.head);
      const piece = parser.takeBody();
      if (piece && !this.ended) this.giveData(piece);
    } catch (error) {
      this.fail(handlerThrew(error));
    }
    if (!this.isStopped()) this.settle(parser);
  }

  /** Moves to a new connection, since this one ended before a byte of the request was written to it. */
  moveFrom(connection: Connection): void {
    connection.pool.replace(connection, this);
  }

  /**
   * The request may have reached the peer, which may have acted on it, so it is not sent again here: whether it may be is for
   * the caller to decide. `error`: null when the peer has closed the connection in an orderly way.
   */
  onConnectionLost(connection: Connection, error: Error | null): void {
    const isStale = !this.answerBegan && connection.uses > 1 && isClosedByPeer(error);
    this.fail(isStale ? reusedConnectionClosed(error) : connectionBroke(error, this.answerBegan));
  }

  override onDue(now: number): void {
    const { connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs } = this.request;
    const idleBy = this.idleBy();
    if (now >= this.totalBy) this.timeOut('total', totalTimeoutMs);
    else if (now >= this.connectBy && this.connection === null) this.fail(noConnectionFree(connectTimeoutMs));
    else if (now >= this.connectBy) this.timeOut('connect', connectTimeoutMs);
    else if (now >= this.headersBy) this.timeOut('headers', headersTimeoutMs);
    else if (now >= idleBy) this.timeOut('idle', idleTimeoutMs);
    else this.arm(Math.min(this.totalBy, this.connectBy, this.headersBy, idleBy));
  }

  private giveHead({ status, fields }: AnswerHead): void {
    this.hasHead = true;
    this.headersBy = Infinity;
    if (this.paused) this.connection?.pauseReading();
    else this.beginSilence();
    this.handler.onHeaders(status, fields);
  }

  private giveData(piece: Buffer): void {
    if (this.paused || this.held) {
      // What was read in one go may come in several pieces, one for each TLS record.
      this.held = this.held ? Buffer.concat([this.held, piece]) : piece;
    } else {
      this.silentSince = this.host.wheel.now;
      this.handler.onData(piece);
    }
  }

  /** Ends the call when its answer has ended, well or not. */
  private settle(parser: AnswerParser): void {
    if (parser.failure !== null) this.fail(new OutboundError('interrupted', parser.failure));
    else if (parser.isDone) this.succeed();
  }

  private succeed(): void {
    const { handler, connection } = this;
    this.end();
    this.connection = null;
    this.letGo();
    connection?.pool.release(connection, this.host.wheel.coarseNow());
    this.closeBody();
    tell(handler, null);
  }

  /** What was sent of it, or read ahead, is of no more use. */
  private closeBody(): void {
    const { opened } = this;
    if (opened === null) return;
    this.opened = null;
    opened.destroy();
  }

  private timeOut(phase: 'connect' | 'headers' | 'idle' | 'total', limitMs: number): void {
    this.fail(new OutboundError('timeout', `The ${phase} timeout of ${String(limitMs)} ms ran out.`, phase));
  }

  private idleBy(): number {
    return this.request.idleTimeoutMs > 0 ? this.silentSince + this.request.idleTimeoutMs : Infinity;
  }

  private beginSilence(): void {
    this.silentSince = this.host.wheel.coarseNow();
    this.arm(this.idleBy());
  }

  /** Later deadlines are found when the earliest is due, so that most moves cost nothing. */
  private arm(at: number): void {
    if (at < this.dueAt && at !== Infinity) this.host.wheel.schedule(this, at);
  }

  private end(): boolean {
    if (this.ended) return false;
    this.ended = true;
    this.held = null;
    this.host.wheel.cancel(this);
    this.host.running -= 1;
    return true;
  }

  /**
   * A call that has ended holds on to nothing: what survives a collection by chance would otherwise keep the whole exchange
   * alive, and so make the next collections dearer.
   */
  private letGo(): void {
    this.request = NO_REQUEST;
    this.handler = NO_HANDLER;
    this.head = '';
    this.waitsIn = null;
  }

  /** @internal What was requested by `resume`, a tick later. */
  continueReading(): void {
    const { connection, held } = this;
    if (this.isStopped() || !connection) return;
    this.held = null;
    try {
      if (held) this.giveData(held);
    } catch (error) {
      this.fail(handlerThrew(error));
    }
    if (!this.isStopped()) this.settle(connection.parser);
    if (!this.isStopped()) connection.resumeReading();
  }

  private isStopped(): boolean {
    return this.ended || this.paused;
  }
}

const continueReading = (call: Call): void => {
  call.continueReading();
};

/** A handler that throws at the end of its call is a bug that nothing else would show. */
function tell(handler: OutboundHandler, failure: OutboundError | null): void {
  try {
    if (failure) handler.onError(failure);
    else handler.onEnd();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
