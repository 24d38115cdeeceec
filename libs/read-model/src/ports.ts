import type { ControlPlaneEvent, DocumentKey, ReadModelDocument } from '@gw/contracts';

export interface WantedDocument {
  readonly key: DocumentKey;
  /**
   * The copy must include this sequence: 0 takes any copy, `Infinity` asks the origin (the admin API) instead of a copy that
   * might be old.
   */
  readonly atLeast: number;
}

export interface FoundDocument {
  /** Null: there is no such document. */
  readonly document: ReadModelDocument | null;
  /** The newest sequence that this copy is known to include. */
  readonly sequence: number;
}

/** Where documents are read from. */
export interface DocumentSource {
  /**
   * Reads up to 256 documents. A key that is missing from the answer could not be read; rejects when none could. Ends within
   * a time of its own, so that a dead source frees its place.
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
  /** Drops the connection and opens it anew from the reader's sequence. */
  reconnect(): void;
  close(): void;
}

/** Where change events come from. Connects by itself, again and again, until it is closed. */
export interface EventSource {
  /** What it listens to at the moment, for health reports: `http` or `redis`. */
  readonly name: string;
  /**
   * `after` tells the newest sequence that the reader has seen, at the time of each connection; null: none yet, start with
   * the present. After the events that were missed comes a heartbeat, or a `reset` when they are no longer kept.
   */
  subscribe(after: () => number | null, listener: EventListener): Subscription;
}
