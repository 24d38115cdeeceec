import type { Readable } from 'node:stream';
import { util, type Dispatcher } from 'undici';
import type { Connection, ConnectionPool } from './connection-pool';
import { isClosedByPeer, isLengthMismatch, toOutboundError } from './failures';
import { NO_HANDLER, NO_REQUEST } from './nothing';
import { WheelEntry, type TimerWheel } from './timer-wheel';
import {
  OutboundError,
  type BodySource,
  type OutboundCall,
  type OutboundHandler,
  type OutboundRequest,
} from './types';

/** Headers of one answer; no provider sends a tenth of them. */
const HEADER_COUNT_MAX = 1_000;

/** What a call needs of its client. */
export interface CallHost {
  readonly wheel: TimerWheel;
  /** Calls that have begun and not ended. */
  running: number;
}

/**
 * One call, and at the same time undici's handler for it and its entry in the timer wheel: one object per call.
 *
 * The handler methods are those of undici 6 (`onConnect`, `onHeaders`, …). undici 7 runs them natively and adapts the
 * newer ones to them; these give the headers as received, in order and with duplicates, without an object in between.
 */
export class Call extends WheelEntry implements OutboundCall, Dispatcher.DispatchHandler {
  private waitsIn: ConnectionPool | null = null;
  private connection: Connection | null = null;
  private starting = false;
  private abortUndici: ((error?: Error) => void) | null = null;
  private resumeUndici: (() => void) | null = null;
  private ended = false;
  private retried = false;
  private answerBegan = false;
  /** The body of the present try, unless it is a Buffer. */
  private sent: Readable | null = null;
  private isCloseDelimited = false;
  private isBodyless = false;
  private paused = false;
  /** undici has been told to stop; its parser waits for `resumeUndici`. */
  private parserPaused = false;
  /** The piece that undici delivered after `pause`. */
  private held: Buffer | null = null;
  /** Bytes of the body that are still to come; Infinity where its length is not known. */
  private left = Infinity;
  /** undici has read the whole answer, and its last piece is held. */
  private isRead = false;
  private connectBy: number;
  private headersBy: number;
  private readonly totalBy: number;
  /** Beginning of the present silence of the body; Infinity before the body and while paused. */
  private silentSince = Infinity;

  constructor(
    private readonly host: CallHost,
    private request: OutboundRequest,
    private handler: OutboundHandler,
  ) {
    super();
    const now = performance.now();
    const { connectTimeoutMs, headersTimeoutMs, totalTimeoutMs } = request;
    this.connectBy = connectTimeoutMs > 0 ? now + connectTimeoutMs : Infinity;
    this.headersBy = headersTimeoutMs > 0 ? now + headersTimeoutMs : Infinity;
    this.totalBy = totalTimeoutMs > 0 ? now + totalTimeoutMs : Infinity;
    host.running += 1;
    this.arm(Math.min(this.connectBy, this.headersBy, this.totalBy));
  }

  pause(): void {
    if (this.ended || this.paused) return;
    this.paused = true;
    this.silentSince = Infinity;
  }

  resume(): void {
    if (this.ended || !this.paused) return;
    this.paused = false;
    if (!this.resumeUndici) return;
    this.beginSilence();
    // Not at once: undici's parser must not be entered from within another call's callback.
    process.nextTick(continueReading, this);
  }

  abort(): void {
    this.fail(new OutboundError('aborted', 'The call was aborted.'));
  }

  /** Ends the call with `error`, unless it has ended. */
  fail(error: OutboundError): void {
    if (!this.end()) return;
    this.abortUndici?.(error);
    this.sent?.destroy();
    const { connection } = this;
    this.connection = null;
    if (connection) connection.pool.discard(connection);
    else this.waitsIn?.stopWaiting(this);
    const { handler } = this;
    this.letGo();
    tell(handler, error);
  }

  /** Fails after the caller has received the call object. */
  failSoon(error: OutboundError): void {
    process.nextTick(() => this.fail(error));
  }

  /** Puts the call on a connection of the pool, now or when one is free. */
  enter(pool: ConnectionPool): void {
    this.waitsIn = pool;
    pool.take(this);
  }

  startOn(connection: Connection): void {
    const { path, method, headers, body } = this.request;
    const { pathPrefix, proxyHeaders } = connection.pool;
    const source = body === null || Buffer.isBuffer(body) ? null : body;
    this.connection = connection;
    connection.call = this;
    this.starting = true;
    connection.client.dispatch(
      {
        path: pathPrefix === '' ? path : pathPrefix + path,
        method,
        headers: (proxyHeaders.length === 0 && source === null
          ? headers
          : [...headers, ...proxyHeaders, ...lengthOf(source)]) as string[],
        body: source === null ? (body as Buffer | null) : this.open(source),
      },
      this,
    );
    this.starting = false;
  }

  private open(source: BodySource): Readable {
    const stream = source.open();
    stream.on('error', (cause: Error) => {
      // That of a try before this one is destroyed with its connection.
      if (stream === this.sent)
        this.fail(new OutboundError('aborted', 'The request body broke off.', null, { cause }));
    });
    this.sent = stream;
    return stream;
  }

  onConnect(abort: (error?: Error) => void): void {
    if (this.ended) {
      abort(new OutboundError('aborted', 'The call was aborted.'));
      return;
    }
    this.abortUndici = abort;
    this.connectBy = Infinity;
    if (!this.connection) return;
    this.connection.uses += 1;
    this.connection.awaitsAnswer = true;
  }

  onResponseStarted(): void {
    this.answerBegan = true;
  }

  onHeaders(status: number, rawHeaders: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    if (this.connection) this.connection.awaitsAnswer = false;
    this.resumeUndici = resume;
    this.headersBy = Infinity;
    this.isBodyless = status === 204 || status === 304;
    if (rawHeaders.length > 2 * HEADER_COUNT_MAX) {
      this.fail(new OutboundError('interrupted', 'The answer has more headers than are accepted.'));
      return false;
    }
    const headers = this.readHeaders(rawHeaders);
    if (!this.paused) this.beginSilence();
    this.handler.onHeaders(status, headers);
    return this.mayGoOn();
  }

  onData(chunk: Buffer): boolean {
    if (this.ended) return true;
    // undici's parser gives an empty piece whenever it is resumed.
    if (chunk.length === 0) return this.mayGoOn();
    this.left -= chunk.length;
    if (this.paused) {
      this.held = chunk;
    } else {
      this.silentSince = this.host.wheel.now;
      this.handler.onData(chunk);
    }
    return this.mayGoOn();
  }

  onComplete(): void {
    if (this.ended) return;
    const { connection } = this;
    // undici takes a reset for the end of a body that only the closing delimits.
    if (this.isCloseDelimited && connection?.socket?.errored) {
      this.fail(toOutboundError(connection.socket.errored, true));
      return;
    }
    if (this.held === null) this.succeed();
    else this.isRead = true;
  }

  private succeed(): void {
    const { connection } = this;
    this.end();
    this.connection = null;
    const { handler } = this;
    this.letGo();
    connection?.pool.release(connection);
    tell(handler, null);
  }

  /**
   * The peer has closed its side and all that it sent has been read. undici must hear of that with its parser running: it can't
   * tell the end of an answer otherwise, and fails an assertion for one that only the closing delimits.
   */
  onPeerEnd(): void {
    this.left = 0;
    if (this.ended || !this.parserPaused) return;
    this.parserPaused = false;
    this.resumeUndici?.();
  }

  onError(error: Error): void {
    if (this.ended) return;
    const { connection } = this;
    this.abortUndici = null;
    if (this.isBodyless && isLengthMismatch(error)) {
      // undici misses the body that the content-length of a 304 describes but does not announce. It has closed the
      // connection; the pool learns of that from undici.
      this.succeed();
      return;
    }
    if (connection && this.mayRetry(connection, error)) {
      this.retried = true;
      connection.pool.replace(connection, this);
      return;
    }
    const failure = toOutboundError(error, this.answerBegan);
    if (this.starting) this.failSoon(failure);
    else this.fail(failure);
  }

  override onDue(now: number): void {
    const { connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs } = this.request;
    const idleBy = this.idleBy();
    if (now >= this.totalBy) this.timeOut('total', totalTimeoutMs);
    else if (now >= this.connectBy) this.timeOut('connect', connectTimeoutMs);
    else if (now >= this.headersBy) this.timeOut('headers', headersTimeoutMs);
    else if (now >= idleBy) this.timeOut('idle', idleTimeoutMs);
    else this.arm(Math.min(this.totalBy, this.connectBy, this.headersBy, idleBy));
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
    this.abortUndici = null;
    this.resumeUndici = null;
    this.waitsIn = null;
    this.sent = null;
  }

  /** Of a whole body only the end is left: the peer may close while undici waits for it, which undici would take for a break. */
  private mayGoOn(): boolean {
    this.parserPaused = this.paused && !this.ended && this.left > 0;
    return !this.parserPaused;
  }

  /** @internal What was asked for by `resume`, a tick later. */
  continueReading(): void {
    if (this.ended || this.paused) return;
    const chunk = this.held;
    if (chunk) {
      this.held = null;
      try {
        this.handler.onData(chunk);
      } catch (error) {
        this.fail(toOutboundError(error, true));
      }
      if (this.isRead && !this.ended) this.succeed();
      if (this.isStopped()) return;
    }
    if (!this.parserPaused) return;
    this.parserPaused = false;
    this.resumeUndici?.();
  }

  private isStopped(): boolean {
    return this.ended || this.paused;
  }

  /** Only when the peer closed an idle connection as the request went out. */
  private mayRetry(connection: Connection, error: Error): boolean {
    return !this.retried && !this.answerBegan && connection.uses > 1 && isClosedByPeer(error);
  }

  private readHeaders(raw: readonly Buffer[]): string[] {
    const headers: string[] = new Array<string>(raw.length);
    let isDelimited = false;
    for (let index = 0; index < raw.length; index += 2) {
      const name = util.headerNameToString(raw[index] as Buffer);
      headers[index] = name;
      headers[index + 1] = (raw[index + 1] as Buffer).toString('latin1');
      if (name === 'content-length') this.left = Number(headers[index + 1]);
      if (name === 'content-length' || name === 'transfer-encoding') isDelimited = true;
    }
    this.isCloseDelimited = !isDelimited;
    return headers;
  }
}

const continueReading = (call: Call): void => {
  call.continueReading();
};

const lengthOf = (source: BodySource | null): readonly string[] =>
  source === null ? [] : ['content-length', String(source.length)];

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
