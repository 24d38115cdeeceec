/** What callers wait for together: `parts` of one write, in the order in which they came. */
export interface SharedWritesOptions<T> {
  /** Writes all at once. A rejection is that of everybody who takes part. */
  readonly write: (parts: readonly T[]) => Promise<void>;
  readonly sizeOf: (part: T) => number;
  /** Of all parts of a write; a part that is larger has one of its own. */
  readonly sizeMax: number;
  /** Writes at a time. */
  readonly atOnce: number;
}

interface Waiting<T> {
  readonly part: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What comes while writes are at work goes together in the next one, so that many small batches cost what a few large ones do. The first comes at
 * once: no caller waits for company.
 */
export class SharedWrites<T> {
  private waiting: Waiting<T>[] = [];
  private writing = 0;

  constructor(private readonly options: SharedWritesOptions<T>) {}

  /** Resolves when the part is written. */
  add(part: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ part, resolve, reject });
      this.next();
    });
  }

  private next(): void {
    if (this.writing >= this.options.atOnce || this.waiting.length === 0) return;
    this.writing += 1;
    void this.write(this.take());
  }

  private async write(together: readonly Waiting<T>[]): Promise<void> {
    let settle = ({ resolve }: Waiting<T>): void => {
      resolve();
    };
    try {
      await this.options.write(together.map(({ part }) => part));
    } catch (error) {
      settle = ({ reject }) => {
        reject(error);
      };
    }
    this.writing -= 1;
    this.next();
    for (const waiting of together) settle(waiting);
  }

  private take(): Waiting<T>[] {
    const { sizeOf, sizeMax } = this.options;
    let size = 0;
    let count = 0;
    for (const { part } of this.waiting) {
      size += sizeOf(part);
      if (count > 0 && size > sizeMax) break;
      count += 1;
    }
    return this.waiting.splice(0, count);
  }
}
