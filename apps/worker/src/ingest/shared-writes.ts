/** Parts of one write that several callers wait for, in order of arrival. */
export interface SharedWritesOptions<T> {
  /** Writes all parts at once. A rejection rejects every caller whose part is included. */
  readonly write: (parts: readonly T[]) => Promise<void>;
  readonly sizeOf: (part: T) => number;
  /** Maximum size of all parts of a write; a larger part is written alone. */
  readonly sizeMax: number;
  /** Maximum number of concurrent writes. */
  readonly atOnce: number;
}

interface Waiting<T> {
  readonly part: T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Combines parts that arrive while writes are in progress into the next write, so that many small
 * batches cost as much as a few large ones. The first part is written at once, without waiting for
 * others.
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
