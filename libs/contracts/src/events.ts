import type { DocumentKey } from './documents';

/**
 * A committed write of the control plane. Sequences come from one outbox and rise in commit order;
 * gaps occur only where a write was rolled back. A gateway that receives `sequence` has received
 * everything before it.
 */
export interface ChangeEvent {
  readonly type: 'change';
  readonly sequence: number;
  /**
   * The sequence before this one in the outbox, 0 if unknown. A reader whose newest sequence is
   * lower has lost an event.
   */
  readonly previous: number;
  /** Documents to read again. `EVERY_DOCUMENT` as the only entry means all. */
  readonly changed: readonly DocumentKey[];
  /** Removed documents, which must be refused at once without reading them. */
  readonly removed: readonly DocumentKey[];
}

/** The entry of `ChangeEvent.changed` that means every document: all must be verified again. */
export const EVERY_DOCUMENT: DocumentKey = '*';

/** An event that is sent every `HEARTBEAT_MS`, to detect lost events and dead streams. */
export interface HeartbeatEvent {
  readonly type: 'heartbeat';
  /** The newest committed sequence that was sent before it on this stream or channel. */
  readonly sequence: number;
}

/**
 * Reports that the requested events are no longer kept, so every document must be verified again.
 */
export interface ResetEvent {
  readonly type: 'reset';
  readonly sequence: number;
}

export type ControlPlaneEvent = ChangeEvent | HeartbeatEvent | ResetEvent;

export const HEARTBEAT_MS = 2_000;
/** Redis channel of `ControlPlaneEvent`s as JSON. */
export const EVENT_CHANNEL = 'gw:events';
/**
 * Returns the Redis key of a document, which contains JSON. The key is absent until the document is
 * first requested.
 */
export const documentRedisKey = (key: DocumentKey): string => `gw:doc:${key}`;
