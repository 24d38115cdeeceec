import type { ControlPlaneEvent, DocumentKey, ReadModelDocument } from '@gw/contracts';

export interface WantedDocument {
  readonly key: DocumentKey;
  /**
   * The sequence that the copy must include. 0 accepts any copy; `Infinity` reads from the origin
   * (the admin API) instead of a copy that may be old.
   */
  readonly atLeast: number;
}

export interface FoundDocument {
  /** Null when there is no such document. */
  readonly document: ReadModelDocument | null;
  /** The newest sequence that this copy is known to include. */
  readonly sequence: number;
}

/** Reads documents. */
export interface DocumentSource {
  /**
   * Reads up to 256 documents. A key missing from the result could not be read; rejects when none
   * could. Ends within its own time limit, so that a dead source frees its place.
   */
  read(wanted: readonly WantedDocument[]): Promise<ReadonlyMap<DocumentKey, FoundDocument>>;
}

export interface EventListener {
  /** Called for every event, in order of its sequence within one connection. */
  onEvent(event: ControlPlaneEvent): void;
  /** The stream ended or cannot be opened: events may be missing until the next heartbeat. */
  onLost(): void;
}

export interface Subscription {
  /** Drops the connection and opens it again from the reader's sequence. */
  reconnect(): void;
  close(): void;
}

/** Delivers change events. Reconnects by itself until it is closed. */
export interface EventSource {
  /** Its current transport, for health reports: `http` or `redis`. */
  readonly name: string;
  /**
   * Subscribes to events.
   * `after` returns the newest sequence that the reader has seen, at the time of each connection;
   * null starts with the present. After the missed events comes a heartbeat, or a `reset` when they
   * are no longer kept.
   */
  subscribe(after: () => number | null, listener: EventListener): Subscription;
}
