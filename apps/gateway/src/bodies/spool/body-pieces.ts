import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@gw/kernel';
import { discardRest } from '../discard-rest';

interface Waiter {
  readonly resolve: (piece: Buffer | null) => void;
  readonly reject: (error: GatewayError) => void;
}

/**
 * Reads a request's body chunk by chunk. Between two calls of `next` only the socket's buffer
 * fills, so a slow consumer slows the client down.
 */
export class BodyPieces {
  private waiter: Waiter | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isBroken = false;
  private isEnded = false;

  /** `idleMs` is the maximum milliseconds that `next` waits for the client. */
  constructor(
    private readonly req: IncomingMessage,
    private readonly idleMs: number,
  ) {
    req.on('readable', this.onReadable);
    req.on('end', this.onReadable);
    req.on('error', this.onBroken);
    req.on('close', this.onClose);
  }

  /**
   * Returns the next chunk; null at the end. Rejects with `request_incomplete` when nothing arrives
   * within `idleMs` or `withinMs` milliseconds, whichever is less, or when the client disconnects.
   */
  next(withinMs = Infinity): Promise<Buffer | null> {
    return new Promise((resolve, reject) => {
      this.waiter = { resolve, reject };
      if (!this.isEnded) this.onReadable();
      if (this.waiter === null) return;
      if (this.isBroken || this.req.destroyed) this.onBroken();
      else this.timer = setTimeout(this.onBroken, Math.min(this.idleMs, withinMs));
    });
  }

  /** Rejects the current and all later calls of `next`, even if bytes have arrived. */
  clientGone(): void {
    this.isEnded = true;
    this.onBroken();
  }

  /** Stops reading, and drops the rest of an incomplete body. */
  stop(): void {
    const { req } = this;
    req.off('readable', this.onReadable);
    req.off('end', this.onReadable);
    req.off('close', this.onClose);
    // `onBroken` stays registered: a later error would have no other listener.
    discardRest(req);
  }

  private readonly onReadable = (): void => {
    if (this.waiter === null) return;
    const piece = this.req.read() as Buffer | null;
    if (piece !== null) this.settle()?.resolve(piece);
    else if (this.req.readableEnded) this.settle()?.resolve(null);
  };

  private readonly onClose = (): void => {
    if (!this.req.readableEnded) this.onBroken();
  };

  private readonly onBroken = (): void => {
    this.isBroken = true;
    this.settle()?.reject(new GatewayError('request_incomplete'));
  };

  private settle(): Waiter | null {
    const { waiter } = this;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    this.waiter = null;
    return waiter;
  }
}
