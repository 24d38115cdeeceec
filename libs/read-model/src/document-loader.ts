import type { DocumentKey, ReadModelDocument } from '@gw/contracts';
import type { DocumentSource, FoundDocument } from './ports';
import { ReadModelUnavailable } from './unavailable';

/** Maximum keys per read, as the admin API allows. */
export const KEYS_PER_READ_MAX = 256;
/**
 * Maximum number of reads of a document whose copies are older than its event; then the read counts
 * as failed.
 */
const ATTEMPTS_MAX = 3;

interface Flight {
  readonly key: DocumentKey;
  readonly promise: Promise<ReadModelDocument | null>;
  readonly resolve: (document: ReadModelDocument | null) => void;
  readonly reject: (error: ReadModelUnavailable) => void;
  /** The copy must include this sequence. */
  minSequence: number;
  /** Only the origin's copy is acceptable. */
  fromOrigin: boolean;
  attempts: number;
  /** The source is being read. */
  isSent: boolean;
}

export interface LoaderOptions {
  readonly concurrency: number;
  /** Maximum keys waiting or in flight; more are refused, except those of changed documents. */
  readonly pendingMax: number;
  /** How long after a failed read no other read is made for an unknown key. */
  readonly retryAfterMs: number;
  readonly now: () => number;
  /** Returns the epoch when a read starts; it is passed to `deliver`. */
  readonly epoch: () => number;
  readonly deliver: (key: DocumentKey, found: FoundDocument, epoch: number) => void;
}

/**
 * Reads documents from the source: one read per key at a time, the keys of one tick together, and
 * few concurrent reads. Even a flood of unknown keys costs the source only a bounded number of
 * reads, and the queue is bounded too.
 */
export class DocumentLoader {
  private readonly flights = new Map<DocumentKey, Flight>();
  /** Reads of changed documents, which precede unknown keys. */
  private urgent: Flight[] = [];
  private waiting: Flight[] = [];
  private active = 0;
  private scheduled = false;
  private failedAt = -Infinity;

  constructor(
    private readonly source: DocumentSource,
    private readonly options: LoaderOptions,
  ) {}

  /** Whether a read failed so recently that another attempt is not worth the wait. */
  get down(): boolean {
    return this.options.now() - this.failedAt < this.options.retryAfterMs;
  }

  /** Joins the read in flight for this key, or starts one. Rejects with `ReadModelUnavailable`. */
  load(key: DocumentKey, atLeast: number, urgent = false): Promise<ReadModelDocument | null> {
    const flying = this.flights.get(key);
    if (flying !== undefined) {
      requireSequence(flying, atLeast);
      return flying.promise;
    }
    // Changed documents are known ones, so that their number is bounded.
    if (!urgent && this.flights.size >= this.options.pendingMax)
      return Promise.reject(new ReadModelUnavailable());
    const flight = newFlight(key);
    requireSequence(flight, atLeast);
    this.flights.set(key, flight);
    (urgent ? this.urgent : this.waiting).push(flight);
    this.schedule();
    return flight.promise;
  }

  /**
   * Reads the document from the origin, with a read that begins after this call. Rejects with
   * `ReadModelUnavailable`.
   */
  async loadAgain(key: DocumentKey): Promise<ReadModelDocument | null> {
    const flying = this.flights.get(key);
    if (flying?.isSent === true) await flying.promise.catch(() => undefined);
    return this.load(key, Infinity, true);
  }

  /**
   * Records that an event changed the key, so that a copy from before the event, which may be in
   * flight, is not used.
   */
  raise(key: DocumentKey, sequence: number): void {
    const flying = this.flights.get(key);
    if (flying !== undefined) requireSequence(flying, sequence);
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
    for (const flight of batch) flight.isSent = true;
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

function requireSequence(flight: Flight, atLeast: number): void {
  if (atLeast === Infinity) flight.fromOrigin = true;
  else flight.minSequence = Math.max(flight.minSequence, atLeast);
}

function newFlight(key: DocumentKey): Flight {
  let resolve!: Flight['resolve'];
  let reject!: Flight['reject'];
  const promise = new Promise<ReadModelDocument | null>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // The caller may have stopped waiting, so a failure may remain unhandled.
  promise.catch(() => undefined);
  return { key, promise, resolve, reject, minSequence: 0, fromOrigin: false, attempts: 0, isSent: false };
}
