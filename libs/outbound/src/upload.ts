import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * Sends a body that is not in memory, no faster than the socket accepts it. Reports once if the
 * body breaks off or does not have its declared length, so that a part of it is never taken for the
 * whole.
 */
export class Upload {
  isDone = false;
  private isStopped = false;
  private sent = 0;

  constructor(
    private readonly body: Readable,
    private readonly socket: Socket,
    private readonly length: number,
    private readonly onBroken: () => void,
  ) {
    body.on('data', this.onData).on('end', this.onEnd).on('close', this.onClose);
    socket.on('drain', this.onDrain);
    if (body.destroyed || body.readableEnded) process.nextTick(this.onClose);
  }

  /** Stops sending. */
  stop(): void {
    this.isStopped = true;
    this.body.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    this.socket.off('drain', this.onDrain);
  }

  private readonly onData = (piece: Buffer | string): void => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.sent += bytes.length;
    if (this.sent > this.length) {
      this.break();
      return;
    }
    if (!this.socket.write(bytes)) this.body.pause();
  };

  private readonly onDrain = (): void => {
    this.body.resume();
  };

  private readonly onEnd = (): void => {
    if (this.sent !== this.length) {
      this.break();
      return;
    }
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
