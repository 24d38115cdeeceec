import type { Readable } from 'node:stream';
import type { ResponseHead } from './response-head';
import type { ResponseParser } from './response-parser';
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

/** The state of a client that its calls share. */
export interface CallHost {
  readonly wheel: TimerWheel;
  /** Number of calls in flight. */
  running: number;
}

/** One call, which is also its own entry in the timer wheel, so that a call needs one object. */
export class Call extends WheelEntry implements OutboundCall {
  /** Request line and headers, set when the call enters a pool. */
  head = '';
  private waitsIn: ConnectionPool | null = null;
  private connection: Connection | null = null;
  private ended = false;
  /** The stream of a body that is a source. */
  private opened: Readable | null = null;
  /** Whether a byte of the response has arrived. */
  private responseBegan = false;
  /** Whether the head of the response was passed to the handler. */
  private hasHead = false;
  private paused = false;
  /** Body bytes that arrived after `pause`. */
  private held: Buffer | null = null;
  private connectBy: number;
  private headersBy: number;
  private readonly totalBy: number;
  private readonly startedAt = performance.now();
  /**
   * When the idle timeout began: when the head or the last piece of the body arrived, or at
   * `resume`. Infinity before the head and while paused.
   */
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

  /** Opens the body at its start. */
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
    // The head of the response is passed on even if the call is paused.
    if (this.hasHead) this.connection?.pauseReading();
  }

  resume(): void {
    if (this.ended || !this.paused) return;
    this.paused = false;
    if (!this.hasHead) return;
    this.beginSilence();
    // Deferred, because a handler must not be called from within its own call.
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
    this.dropReferences();
    notifyEnd(handler, error);
  }

  /** Fails after the caller has received the call object. */
  failSoon(error: OutboundError): void {
    process.nextTick(() => this.fail(error));
  }

  /**
   * Assigns a connection of the pool to the call, now or when one is free.
   * @throws OutboundError `unreachable`
   */
  enter(pool: ConnectionPool): void {
    this.waitsIn = pool;
    this.head = encodeHead(this.request, pool.address);
    pool.take(this, this.startedAt);
  }

  startOn(connection: Connection): void {
    this.connection = connection;
    connection.start(this);
  }

  /** Called right before the request is written to the open connection. */
  onSend(): void {
    this.connectBy = Infinity;
  }

  onBodyBroken(): void {
    this.fail(bodyBroke());
  }

  /** Passes on what the connection has read. */
  onResponse({ parser }: Connection): void {
    this.responseBegan = true;
    try {
      if (parser.hasHead && !this.hasHead) this.passHead(parser.head);
      const piece = parser.takeBody();
      if (piece && !this.ended) this.passData(piece);
    } catch (error) {
      this.fail(handlerThrew(error));
    }
    if (!this.isStopped()) this.settle(parser);
  }

  /** Moves to a new connection, because this one ended before a byte of the request was written. */
  moveFrom(connection: Connection): void {
    connection.pool.replace(connection, this);
  }

  /**
   * Fails the call. The peer may have received and acted on the request, so it is not sent again
   * here; the caller decides about that. `error` is null if the peer closed the connection in an
   * orderly way.
   */
  onConnectionLost(connection: Connection, error: Error | null): void {
    const isStale = !this.responseBegan && connection.uses > 1 && isClosedByPeer(error);
    this.fail(isStale ? reusedConnectionClosed(error) : connectionBroke(error, this.responseBegan));
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

  private passHead({ status, fields }: ResponseHead): void {
    this.hasHead = true;
    this.headersBy = Infinity;
    if (this.paused) this.connection?.pauseReading();
    else this.beginSilence();
    this.handler.onHeaders(status, fields);
  }

  private passData(piece: Buffer): void {
    if (this.paused || this.held) {
      // One read may yield several pieces, one per TLS record.
      this.held = this.held ? Buffer.concat([this.held, piece]) : piece;
    } else {
      this.silentSince = this.host.wheel.now;
      this.handler.onData(piece);
    }
  }

  /** Ends the call if its response has ended or is invalid. */
  private settle(parser: ResponseParser): void {
    if (parser.failure !== null) this.fail(new OutboundError('interrupted', parser.failure));
    else if (parser.isDone) this.succeed();
  }

  private succeed(): void {
    const { handler, connection } = this;
    this.end();
    this.connection = null;
    this.dropReferences();
    connection?.pool.release(connection, this.host.wheel.coarseNow());
    this.closeBody();
    notifyEnd(handler, null);
  }

  /** Closes the stream of the body, of which no more is needed. */
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

  /**
   * Arms only the earliest deadline. Later ones are computed when it is due, so that most changes
   * cost nothing.
   */
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
   * Drops all references of an ended call. If garbage collection does not free the call at once, it
   * would otherwise keep the request and its handler in memory.
   */
  private dropReferences(): void {
    this.request = NO_REQUEST;
    this.handler = NO_HANDLER;
    this.head = '';
    this.waitsIn = null;
  }

  /** @internal Continues what `resume` started, one tick later. */
  continueReading(): void {
    const { connection, held } = this;
    if (this.isStopped() || !connection) return;
    this.held = null;
    try {
      if (held) this.passData(held);
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

/**
 * Notifies the handler of the end of its call. An exception in it is a bug that would otherwise
 * stay unnoticed, so it is thrown as uncaught.
 */
function notifyEnd(handler: OutboundHandler, failure: OutboundError | null): void {
  try {
    if (failure) handler.onError(failure);
    else handler.onEnd();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
