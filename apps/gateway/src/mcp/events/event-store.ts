/**
 * Name of a stream with its session and caller. Another session or caller cannot read the stream.
 */
export interface StreamName {
  /** `principalBinding` of the caller. */
  readonly principal: string;
  /** `nonce` of the session. */
  readonly session: string;
  /** Letters and digits. */
  readonly stream: string;
}

/** An event of a stream, numbered from 1. The first event is not a message; see `StreamTrail`. */
export interface NumberedEvent {
  readonly number: number;
  readonly json: string;
}

export interface ReadEvents {
  readonly events: readonly NumberedEvent[];
  /** Whether these are the last events of the stream. */
  readonly isEnded: boolean;
}

/** Maximum number of stored streams of a caller, and maximum characters of all their events. */
export const STORED_LIMITS = { streamsMax: 64, charactersMax: 4_194_304 } as const;
/** Milliseconds for which the events of a stream are kept after the last one, or the last `keep`. */
export const KEEP_MS = 300_000;

/**
 * Stores the last events of streams for clients that resume them, also at another gateway. A stream
 * keeps as many events as `RING_LIMITS` allows. When a caller exceeds `STORED_LIMITS`, its stream
 * with the oldest last event is removed.
 */
export interface EventStore {
  /** Stores an event in the background; events of a stream are stored in the order of the calls. */
  add(name: StreamName, event: NumberedEvent, isLast: boolean): void;
  /** Keeps a stream, in the background, as if it had got an event now. */
  keep(name: StreamName): void;
  /**
   * Returns the events after a number; null when there is no such stream or the store cannot be
   * reached.
   */
  read(name: StreamName, after: number): Promise<ReadEvents | null>;
  /**
   * Returns the first event, which is kept as long as the stream; null when the stream no longer
   * exists.
   */
  first(name: StreamName): Promise<string | null>;
  /**
   * Calls `onEvent` when the stream gets an event, and `onLost` when events may be missed from then
   * on. A stream has one watcher at a time. Returns a function that removes the watcher.
   */
  watch(name: StreamName, onEvent: () => void, onLost: () => void): () => void;
}
