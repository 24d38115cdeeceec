import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * Sends a streamed body, as chunks or with the length that its head has declared, no faster than the socket takes it. A body
 * that breaks off, or does not have the length, is told once; no part of it is then passed off as the whole.
 */
export class Upload {
  isDone = false;
  private isStopped = false;
  private sent = 0;

  constructor(
    private readonly body: Readable,
    private readonly socket: Socket,
    private readonly length: number | null,
    private readonly onBroken: () => void,
  ) {
    body.on('data', this.onData).on('end', this.onEnd).on('close', this.onClose);
    socket.on('drain', this.onDrain);
    if (body.destroyed || body.readableEnded) process.nextTick(this.onClose);
  }

  /** Sends nothing more. */
  stop(): void {
    this.isStopped = true;
    this.body.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    this.socket.off('drain', this.onDrain);
  }

  private readonly onData = (piece: Buffer | string): void => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    // A chunk without bytes would end the body.
    if (bytes.length === 0) return;
    this.sent += bytes.length;
    if (this.length !== null && this.sent > this.length) {
      this.break();
      return;
    }
    if (!this.write(bytes)) this.body.pause();
  };

  private write(bytes: Buffer): boolean {
    const { socket } = this;
    if (this.length !== null) return socket.write(bytes);
    socket.cork();
    socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    const hasRoom = socket.write('\r\n', 'latin1');
    socket.uncork();
    return hasRoom;
  }

  private readonly onDrain = (): void => {
    this.body.resume();
  };

  private readonly onEnd = (): void => {
    if (this.length !== null && this.sent !== this.length) {
      this.break();
      return;
    }
    if (this.length === null) this.socket.write('0\r\n\r\n', 'latin1');
    this.isDone = true;
    this.stop();
  };

  private readonly onClose = (): void => {
    if (!this.isStopped) this.break();
  };

  private break(): void {
    this.stop();
    this.onBroken();
  }
}
