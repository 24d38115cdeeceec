import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Offer } from './offer';

/**
 * Maximum bytes that are read before the client is accepted. A client should send none; after this
 * many, the gateway stops reading.
 */
const EARLY_BYTES_MAX = 65_536;
/** Milliseconds for a refused client to read its response. */
const LINGER_MS = 5_000;

const NOTHING: Offer = { protocols: [], apiKey: null };

/**
 * A client that waits for its upgrade. Until the client is accepted, an ordinary response can be
 * written to it, so a refusal is sent like any response. The gateway reads from the socket
 * meanwhile, because only reading detects a disconnect.
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
    // After a refused upgrade, client and gateway may disagree about the protocol, so the
    // connection closes.
    this.res.shouldKeepAlive = false;
    this.res.assignSocket(socket);
    this.res.once('finish', () => {
      this.linger();
    });
    socket.on('error', () => undefined);
    socket.on('drain', this.onDrain).on('data', this.onData).on('end', this.onEnd);
    if (head.length > 0) this.onData(head);
  }

  /**
   * Releases the bare connection, and returns the bytes received so far. No response can be written
   * afterwards.
   */
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

  /** A half-closed client counts as disconnected, as on every route. */
  private readonly onEnd = (): void => {
    this.socket.destroy();
  };
}
