/** A stream that receives a comment after a period without writes. */
export interface KeptAlive {
  /** `KeepAlive.now` of the last write. */
  lastWriteAt: number;
  beat(comment: Buffer): void;
}

const TICK_MS_MAX = 1_000;
export const KEEP_ALIVE_COMMENT = Buffer.from(': keep-alive\n\n');

/** One timer for all open streams; it runs only while there are any. */
export class KeepAlive {
  private readonly streams = new Set<KeptAlive>();
  private timer: NodeJS.Timeout | null = null;
  /** Milliseconds of a clock that is read once per tick. */
  now = performance.now();

  /**
   * `everyMs` is the milliseconds without writes after which a stream gets a comment, exact to a
   * tick of at most a second.
   */
  constructor(private readonly everyMs: number) {}

  add(stream: KeptAlive): void {
    this.streams.add(stream);
    if (this.timer === null) {
      this.now = performance.now();
      this.timer = setInterval(
        () => {
          this.tick();
        },
        Math.min(TICK_MS_MAX, this.everyMs / 4),
      );
      this.timer.unref();
    }
    stream.lastWriteAt = this.now;
  }

  delete(stream: KeptAlive): void {
    this.streams.delete(stream);
    if (this.streams.size === 0 && this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
  }

  private tick(): void {
    this.now = performance.now();
    for (const stream of this.streams) {
      if (this.now - stream.lastWriteAt < this.everyMs) continue;
      stream.lastWriteAt = this.now;
      stream.beat(KEEP_ALIVE_COMMENT);
    }
  }
}
