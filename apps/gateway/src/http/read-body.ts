import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import { atTurnEnd, GatewayError } from '@gw/kernel';
import { discardRest } from './discard-rest';
import { GatewayRequest, type BodyTaker } from './gateway-request';

export interface BodyReaderOptions {
  readonly maxBytes: number;
  /** Longest silence of the client, milliseconds. */
  readonly idleMs: number;
  /** For the whole body, milliseconds: one that trickles in is never idle for long. */
  readonly totalMs: number;
}

/**
 * The whole body in one Buffer. Rejects with `body_too_large` past `maxBytes` and with `request_incomplete` when nothing comes
 * for `idleMs`, when it comes so slowly that it is not there after `totalMs`, or when the client leaves; the rest of a refused
 * body is dropped.
 */
export class BodyReader implements BodyTaker {
  private first: Buffer | null = null;
  private rest: Buffer[] | null = null;
  private size = 0;
  private timer: NodeJS.Timeout | null = null;
  private deadline = 0;
  private over = false;

  constructor(
    private readonly req: IncomingMessage,
    /** Of its `content-length`; -1 without one. */
    private readonly expected: number,
    private readonly options: BodyReaderOptions,
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
      this.fail(new GatewayError('body_too_large'));
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
      this.deadline = performance.now() + totalMs;
      this.timer = setTimeout(() => this.clientGone(), Math.min(idleMs, totalMs));
    } else if (performance.now() < this.deadline) this.timer.refresh();
    else this.clientGone();
  }
}

const EMPTY = Buffer.alloc(0);

const watchAtTurnEnd = atTurnEnd((reader: BodyReader) => reader.watch());
