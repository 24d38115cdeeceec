/** A stream of a session, and whose it is. Another session or caller cannot name it. */
export interface StreamName {
  /** `principalBinding` of the caller. */
  readonly principal: string;
  /** `nonce` of the session. */
  readonly session: string;
  /** Letters and digits. */
  readonly stream: string;
}

/** An event of a stream, numbered from 1. The first one is no message: see `StreamTrail`. */
export interface NumberedEvent {
  readonly number: number;
  readonly json: string;
}

export interface ReadEvents {
  readonly events: readonly NumberedEvent[];
  /** Whether no event follows these. */
  readonly isEnded: boolean;
}

/** Bounds of what a caller has stored, over all of its streams. */
export const STORED_LIMITS = { streamsMax: 64, charactersMax: 4_194_304 } as const;
/** How long the events of a stream are kept after the last one, in milliseconds. */
export const STORED_MS = 300_000;

/**
 * The last events of streams, for clients that resume them, also at another gateway. A stream keeps
 * what `RING_LIMITS` allows; at the bounds of a caller, the stream without events for longest goes.
 */
export interface EventStore {
  /** Stores an event in the background; events of a stream are stored in the order of the calls. */
  add(name: StreamName, event: NumberedEvent, isLast: boolean): void;
  /** The events behind a number. Null: there is no such stream, or it cannot be read now. */
  read(name: StreamName, after: number): Promise<ReadEvents | null>;
  /** The first event, which stays as long as the stream; null: it is gone. */
  first(name: StreamName): Promise<string | null>;
  /**
   * Calls `onEvent` when the stream got an event, and `onLost` when events may be missed from now on.
   * One watcher of a stream at a time. Returns a function that ends it.
   */
  watch(name: StreamName, onEvent: () => void, onLost: () => void): () => void;
}
