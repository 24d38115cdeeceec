import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { addPiece, atTurnEnd, GatewayError, toGatewayError } from '@gw/kernel';
import { discardRest } from './discard-rest';
import { GatewayRequest, type BodyTaker } from '../http/gateway-request';

export interface BodyReaderOptions {
  readonly maxBytes: number;
  /** Maximum milliseconds without a byte from the client. */
  readonly idleMs: number;
  /**
   * Time limit for the whole body, in milliseconds. It ends a body that arrives too slowly without
   * ever being idle.
   */
  readonly totalMs: number;
  /** Minimum average rate in bytes a second, enforced once `idleMs` have passed. */
  readonly minRate: number;
}

/**
 * Accounts for the bytes of a body as they arrive; its method throws when there is no memory for
 * them.
 */
export interface BodyHolder {
  reserveMemory(bytes: number): void;
}

/**
 * Reads the whole body into one Buffer. Rejects with `body_too_large` above `maxBytes`; with
 * `request_incomplete` after `idleMs` without a byte, after `totalMs`, below `minRate`, or when the
 * client disconnects; and with the holder's error when there is no room. The rest of a refused body
 * is dropped.
 */
export class BodyReader implements BodyTaker {
  private first: Buffer | null = null;
  private rest: Buffer[] | null = null;
  private size = 0;
  private timer: NodeJS.Timeout | null = null;
  private startedAt = 0;
  private isDone = false;

  constructor(
    private readonly req: IncomingMessage,
    /** The announced `content-length`; -1 when there is none. */
    private readonly expected: number,
    private readonly options: BodyReaderOptions,
    private readonly holder: BodyHolder,
    private readonly resolve: (body: Buffer) => void,
    private readonly reject: (error: GatewayError) => void,
  ) {}

  start(): void {
    const { req } = this;
    watchAtTurnEnd(this);
    if (req instanceof GatewayRequest && req.takeBody(this)) return;
    req.on('data', (chunk: Buffer) => this.piece(chunk));
    req.once('end', () => this.end());
    req.once('error', () => this.clientGone());
  }

  piece(chunk: Buffer): void {
    if (this.isDone) return;
    this.size += chunk.length;
    if (this.size > this.options.maxBytes) {
      this.fail(bodyTooLarge('MAX_BUFFERED_BODY', this.options.maxBytes, this.expected));
      return;
    }
    try {
      this.holder.reserveMemory(chunk.length);
    } catch (thrown) {
      this.fail(toGatewayError(thrown));
      return;
    }
    if (this.first === null) this.first = chunk;
    else addPiece((this.rest ??= [this.first]), chunk);
    // Most bodies arrive in one piece with their headers and need no timer.
    if (this.size !== this.expected) this.restartTimer();
  }

  end(): void {
    if (!this.stop()) return;
    this.resolve(this.rest ? Buffer.concat(this.rest, this.size) : (this.first ?? EMPTY));
  }

  clientGone(): void {
    this.fail(new GatewayError('request_incomplete'));
  }

  private fail(error: GatewayError): void {
    if (!this.stop()) return;
    const { req } = this;
    this.first = this.rest = null;
    if (req instanceof GatewayRequest) req.stopTaking();
    req.removeAllListeners('data');
    discardRest(req);
    this.reject(error);
  }

  private stop(): boolean {
    if (this.isDone) return false;
    this.isDone = true;
    if (this.timer) clearTimeout(this.timer);
    return true;
  }

  /**
   * @internal Starts the timer unless the body has arrived, so that a body that never arrives times
   * out.
   */
  watch(): void {
    if (!this.isDone && this.timer === null) this.restartTimer();
  }

  private restartTimer(): void {
    if (this.timer === null) {
      const { idleMs, totalMs } = this.options;
      this.startedAt = performance.now();
      this.timer = setTimeout(() => this.clientGone(), Math.min(idleMs, totalMs));
    } else if (performance.now() - this.startedAt < allowedMs(this.size, this.options)) this.timer.refresh();
    else this.clientGone();
  }
}

/**
 * Returns the error for a body that is too large. `size` is the length in bytes that the client
 * announced; -1 when it announced none.
 */
export const bodyTooLarge = (setting: string, limit: number, size: number): GatewayError =>
  new GatewayError('body_too_large', {
    message:
      `The request body${size < 0 ? '' : ` of ${String(size)} bytes`} is larger than the ${String(limit)} bytes that ` +
      `this gateway accepts here. Send a smaller one, or raise ${setting}.`,
  });

/** Returns the milliseconds within which `bytes` of a body must have arrived. */
export const allowedMs = (bytes: number, { idleMs, totalMs, minRate }: BodyReaderOptions): number =>
  Math.min(totalMs, minRate === 0 ? Infinity : idleMs + (1_000 * bytes) / minRate);

const EMPTY = Buffer.alloc(0);

const watchAtTurnEnd = atTurnEnd((reader: BodyReader) => reader.watch());
