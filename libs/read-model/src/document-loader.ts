import type { DocumentKey, ReadModelDocument } from '@gw/contracts';
import type { DocumentSource, FoundDocument } from './ports';
import { ReadModelUnavailable } from './unavailable';

/** The most keys of one read, as the admin API sets it. */
export const KEYS_PER_READ_MAX = 256;
/** Copies that are older than an event are requested again this often in all, then the read counts as failed. */
const ATTEMPTS_MAX = 3;

interface Flight {
  readonly key: DocumentKey;
  readonly promise: Promise<ReadModelDocument | null>;
  readonly resolve: (document: ReadModelDocument | null) => void;
  readonly reject: (error: ReadModelUnavailable) => void;
  /** The copy must include this sequence. */
  minSequence: number;
  /** Only the origin's copy will do. */
  fromOrigin: boolean;
  attempts: number;
}

export interface LoaderOptions {
  readonly concurrency: number;
  /** Keys that may be waiting or under way at once; more are refused. */
  readonly pendingMax: number;
  /** How long after a failed read no other is tried for an unknown key. */
  readonly retryAfterMs: number;
  readonly now: () => number;
  /** A mark of the moment when a read starts; handed back to `deliver`. */
  readonly epoch: () => number;
  readonly deliver: (key: DocumentKey, found: FoundDocument, epoch: number) => void;
}

/**
 * Reads documents from the source: one read per key at a time, the keys of one tick together, few reads at once. So a flood of
 * unknown keys costs the source a fixed number of reads, and every caller a bounded place in the queue.
 */
export class DocumentLoader {
  private readonly flights = new Map<DocumentKey, Flight>();
  /** Re-reads of changed documents: they go before unknown keys. */
  private urgent: Flight[] = [];
  private waiting: Flight[] = [];
  private active = 0;
  private scheduled = false;
  private failedAt = -Infinity;

  constructor(
    private readonly source: DocumentSource,
    private readonly options: LoaderOptions,
  ) {}

  /** Whether the last read failed, and so lately that another is not worth its wait. */
  get down(): boolean {
    return this.options.now() - this.failedAt < this.options.retryAfterMs;
  }

  /** Joins the read under way for this key, or starts one. Rejects with `ReadModelUnavailable`. */
  load(key: DocumentKey, atLeast: number, urgent = false): Promise<ReadModelDocument | null> {
    const flying = this.flights.get(key);
    if (flying !== undefined) {
      demand(flying, atLeast);
      return flying.promise;
    }
    if (this.flights.size >= this.options.pendingMax) return Promise.reject(new ReadModelUnavailable());
    const flight = takeOff(key);
    demand(flight, atLeast);
    this.flights.set(key, flight);
    (urgent ? this.urgent : this.waiting).push(flight);
    this.schedule();
    return flight.promise;
  }

  /** An event named the key: a copy from before it, which may be on its way, must not be taken. */
  raise(key: DocumentKey, sequence: number): void {
    const flying = this.flights.get(key);
    if (flying !== undefined) demand(flying, sequence);
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.active < this.options.concurrency && this.urgent.length + this.waiting.length > 0) {
        const batch = this.urgent.splice(0, KEYS_PER_READ_MAX);
        batch.push(...this.waiting.splice(0, KEYS_PER_READ_MAX - batch.length));
        void this.read(batch);
      }
    });
  }

  private async read(batch: readonly Flight[]): Promise<void> {
    this.active += 1;
    const epoch = this.options.epoch();
    try {
      const found = await this.source.read(
        batch.map(({ key, minSequence, fromOrigin }) => ({
          key,
          atLeast: fromOrigin ? Infinity : minSequence,
        })),
      );
      this.failedAt = -Infinity;
      for (const flight of batch) this.settle(flight, found.get(flight.key), epoch);
    } catch (error) {
      this.failedAt = this.options.now();
      for (const flight of batch) this.fail(flight, error);
    }
    this.active -= 1;
    if (this.urgent.length + this.waiting.length > 0) this.schedule();
  }

  private settle(flight: Flight, found: FoundDocument | undefined, epoch: number): void {
    if (found === undefined) {
      this.fail(flight);
      return;
    }
    if (found.sequence < flight.minSequence) {
      flight.attempts += 1;
      if (flight.attempts < ATTEMPTS_MAX) this.urgent.push(flight);
      else this.fail(flight);
      return;
    }
    this.flights.delete(flight.key);
    this.options.deliver(flight.key, found, epoch);
    flight.resolve(found.document);
  }

  private fail(flight: Flight, cause?: unknown): void {
    this.flights.delete(flight.key);
    flight.reject(new ReadModelUnavailable(cause));
  }
}

function demand(flight: Flight, atLeast: number): void {
  if (atLeast === Infinity) flight.fromOrigin = true;
  else flight.minSequence = Math.max(flight.minSequence, atLeast);
}

function takeOff(key: DocumentKey): Flight {
  let resolve!: Flight['resolve'];
  let reject!: Flight['reject'];
  const promise = new Promise<ReadModelDocument | null>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Whoever asked may have stopped waiting; a failure is then nobody's business.
  promise.catch(() => undefined);
  return { key, promise, resolve, reject, minSequence: 0, fromOrigin: false, attempts: 0 };
}
