import { OutboundError, type OutboundCall, type OutboundHandler } from './types';

/** A response that this process generates. */
export interface PlayedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Pieces of the body. */
  readonly chunks: readonly string[];
}

/** Delivers a generated response like a connection: asynchronously, and not while it is paused. */
export class PlayedCall implements OutboundCall {
  private isOver = false;
  private isPaused = false;
  /** Whether it was paused between two steps, so that `resume` must continue. */
  private isWaiting = false;
  private readonly steps: (() => void)[];

  constructor(
    { status, headers, chunks }: PlayedResponse,
    private readonly handler: OutboundHandler,
  ) {
    this.steps = [
      () => handler.onHeaders(status, Object.entries(headers).flat()),
      ...chunks.map((chunk) => () => handler.onData(Buffer.from(chunk))),
      () => handler.onEnd(),
    ];
    this.next();
  }

  abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.handler.onError(new OutboundError('aborted', 'The call was cancelled.'));
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (this.isWaiting) this.next();
  }

  private next(): void {
    this.isWaiting = false;
    setImmediate(() => {
      if (this.isOver) return;
      if (this.isPaused) this.isWaiting = true;
      else {
        const step = this.steps.shift();
        this.isOver = this.steps.length === 0;
        step?.();
        if (!this.isOver) this.next();
      }
    });
  }
}
