import { OutboundError, type OutboundCall, type OutboundHandler } from '@gw/outbound';
import type { LocalAnswer } from '@gw/providers';

/** Plays a scripted answer the way a connection would bring it, pauses and aborts included. */
export function playLocal(answer: LocalAnswer, handler: OutboundHandler): OutboundCall {
  return new LocalPlayback(answer, handler);
}

class LocalPlayback implements OutboundCall {
  private next = 0;
  private paused = false;
  private over = false;
  private timer: NodeJS.Timeout | null = null;
  private idle = false;

  constructor(
    private readonly answer: LocalAnswer,
    private readonly handler: OutboundHandler,
  ) {
    this.after(answer.delayMs, () => {
      handler.onHeaders(answer.status, answer.headers);
      this.step();
    });
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    if (!this.idle || this.over) return;
    this.idle = false;
    this.step();
  }

  abort(): void {
    if (this.over) return;
    this.over = true;
    if (this.timer) clearTimeout(this.timer);
    this.handler.onError(new OutboundError('aborted', 'The call was cancelled.'));
  }

  private step(): void {
    while (!this.over) {
      if (this.paused) {
        this.idle = true;
        return;
      }
      const chunk = this.answer.chunks[this.next];
      if (!chunk) {
        this.finish();
        return;
      }
      this.next += 1;
      if (chunk.waitMs > 0) {
        this.after(chunk.waitMs, () => {
          this.handler.onData(chunk.data);
          this.step();
        });
        return;
      }
      this.handler.onData(chunk.data);
    }
  }

  private finish(): void {
    this.over = true;
    if (this.answer.cut) this.handler.onError(new OutboundError('interrupted', 'The connection broke.'));
    else this.handler.onEnd();
  }

  private after(waitMs: number, then: () => void): void {
    const run = (): void => {
      this.timer = null;
      if (!this.over) then();
    };
    if (waitMs > 0) this.timer = setTimeout(run, waitMs);
    else setImmediate(run);
  }
}
