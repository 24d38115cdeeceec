import type { DocumentKey } from './documents';

/**
 * One committed control-plane write. Sequences are those of one outbox: they rise by commit order, gaps are possible only where
 * a write was rolled back, and a gateway that sees `sequence` has seen all before it.
 */
export interface ChangeEvent {
  readonly type: 'change';
  readonly sequence: number;
  /** The sequence before this one in the outbox. A reader whose newest is older than it has lost an event; 0: not known. */
  readonly previous: number;
  /** Documents to read again; `EVERY_DOCUMENT` alone: all of them. */
  readonly changed: readonly DocumentKey[];
  /** Documents that are gone: refused at once, without a read. */
  readonly removed: readonly DocumentKey[];
}

/** In `ChangeEvent.changed`, means every document there is: everything must be verified again. */
export const EVERY_DOCUMENT: DocumentKey = '*';

/** Sent every `HEARTBEAT_MS`, so that a lost event or a dead stream shows. */
export interface HeartbeatEvent {
  readonly type: 'heartbeat';
  /** The newest committed sequence that was sent before it on this stream or channel. */
  readonly sequence: number;
}

/** The requested events are no longer kept: everything must be verified again. */
export interface ResetEvent {
  readonly type: 'reset';
  readonly sequence: number;
}

export type ControlPlaneEvent = ChangeEvent | HeartbeatEvent | ResetEvent;

export const HEARTBEAT_MS = 2_000;
/** Redis channel of `ControlPlaneEvent`s as JSON. */
export const EVENT_CHANNEL = 'gw:events';
/** Redis key of a document: JSON text, absent when not yet requested. */
export const documentRedisKey = (key: DocumentKey): string => `gw:doc:${key}`;
