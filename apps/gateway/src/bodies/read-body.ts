import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { atTurnEnd, GatewayError, toGatewayError } from '@gw/kernel';
import { discardRest } from './discard-rest';
import { GatewayRequest, type BodyTaker } from '../http/gateway-request';

export interface BodyReaderOptions {
  readonly maxBytes: number;
  /** Longest silence of the client, milliseconds. */
  readonly idleMs: number;
  /** For the whole body, milliseconds: one that trickles in is never idle for long. */
  readonly totalMs: number;
  /** Bytes in a second, on average, once `idleMs` have passed. */
  readonly minRate: number;
}

/** Pays for the bytes of a body as they arrive. Throws when they cannot be kept. */
export interface BodyHolder {
  hold(bytes: number): void;
}

/**
 * The whole body in one Buffer. Rejects with `body_too_large` past `maxBytes` and with `request_incomplete` when nothing comes
 * for `idleMs`, when it comes more slowly than `minRate` or is not there after `totalMs`, or when the client leaves; with what the
 * holder throws when there is no room for what has come. The rest of a refused body is dropped.
 */
export class BodyReader implements BodyTaker {
  private first: Buffer | null = null;
  private rest: Buffer[] | null = null;
  private size = 0;
  private timer: NodeJS.Timeout | null = null;
  private startedAt = 0;
  private over = false;

  constructor(
    private readonly req: IncomingMessage,
    /** Of its `content-length`; -1 without one. */
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
    if (this.over) return;
    this.size += chunk.length;
    if (this.size > this.options.maxBytes) {
      this.fail(bodyTooLarge('MAX_BUFFERED_BODY', this.options.maxBytes, this.expected));
      return;
    }
    try {
      this.holder.hold(chunk.length);
    } catch (thrown) {
      this.fail(toGatewayError(thrown));
      return;
    }
    if (this.first === null) this.first = chunk;
    else (this.rest ??= [this.first]).push(chunk);
    // Most bodies arrive in one piece with their headers: no timer for those.
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
    if (this.over) return false;
    this.over = true;
    if (this.timer) clearTimeout(this.timer);
    return true;
  }

  /** @internal A body that came with its headers is there by now, and needs no timer; one that never comes does. */
  watch(): void {
    if (!this.over && this.timer === null) this.restartTimer();
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

/** `size`: as the client has announced it; -1 where it has not. */
export const bodyTooLarge = (setting: string, limit: number, size: number): GatewayError =>
  new GatewayError('body_too_large', {
    message:
      `The request body${size < 0 ? '' : ` of ${String(size)} bytes`} is larger than the ${String(limit)} bytes that ` +
      `this gateway accepts here. Send a smaller one, or raise ${setting}.`,
  });

/** How long a body may be on its way when so many bytes have come. */
export const allowedMs = (bytes: number, { idleMs, totalMs, minRate }: BodyReaderOptions): number =>
  Math.min(totalMs, minRate === 0 ? Infinity : idleMs + (1_000 * bytes) / minRate);

const EMPTY = Buffer.alloc(0);

const watchAtTurnEnd = atTurnEnd((reader: BodyReader) => reader.watch());
