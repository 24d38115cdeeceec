import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Offer } from './offer';

/** Bytes that a client may send before it is accepted, which it should not; then it is no longer read. */
const EARLY_BYTES_MAX = 65_536;
/** For a refused client to read its answer. */
const LINGER_MS = 5_000;

const NOTHING: Offer = { protocols: [], apiKey: null };

/**
 * A client that waits for its upgrade. Until it is accepted an ordinary response can be written, so that a refusal takes the
 * same way as every answer; and it is read, since only then is it seen to leave.
 */
export class ClientUpgrade {
  readonly res: ServerResponse;
  offer: Offer = NOTHING;
  private early: Buffer[] = [];
  private earlyBytes = 0;

  constructor(
    readonly req: IncomingMessage,
    readonly socket: Socket,
    head: Buffer,
  ) {
    this.res = new ServerResponse(req);
    // A connection whose upgrade was refused is in no state that both sides agree on.
    this.res.shouldKeepAlive = false;
    this.res.assignSocket(socket);
    this.res.once('finish', () => {
      this.linger();
    });
    socket.on('error', () => undefined);
    socket.on('drain', this.onDrain).on('data', this.onData).on('end', this.onEnd);
    if (head.length > 0) this.onData(head);
  }

  /** Hands the bare connection over, with what it has brought so far. Nothing can be answered any more. */
  accept(): Buffer {
    const { socket } = this;
    this.res.detachSocket(socket);
    socket.off('drain', this.onDrain).off('data', this.onData).off('end', this.onEnd);
    socket.pause();
    const head = Buffer.concat(this.early);
    this.early = [];
    return head;
  }

  private linger(): void {
    const { socket } = this;
    this.res.detachSocket(socket);
    this.early = [];
    this.earlyBytes = -Infinity;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => {
      clearTimeout(timer);
    });
    socket.resume();
    socket.end();
  }

  private readonly onDrain = (): void => {
    this.res.emit('drain');
  };

  private readonly onData = (chunk: Buffer): void => {
    this.earlyBytes += chunk.length;
    if (this.earlyBytes < 0) return;
    this.early.push(chunk);
    if (this.earlyBytes > EARLY_BYTES_MAX) this.socket.pause();
  };

  /** A half-closed client is a client that has gone, as on every route. */
  private readonly onEnd = (): void => {
    this.socket.destroy();
  };
}
