import { HEARTBEAT_MS } from '@gw/contracts';

export interface ReadModelLimits {
  /** Documents in memory; the ones used least lately are dropped. */
  readonly documentsMax: number;
  /** Their size as JSON text, in characters. */
  readonly sizeMax: number;
  /** Keys known to have no document; the oldest are dropped. */
  readonly absentMax: number;
  readonly absentTtlMs: number;
  /** Reads of the source at once, 256 keys each. */
  readonly readsMax: number;
  /** Keys being read or waiting for it; more are refused as unavailable. */
  readonly pendingMax: number;
  /** The longest wait for a document that is not known. */
  readonly loadTimeoutMs: number;
  /** The longest wait for the verification of a known document. */
  readonly verifyTimeoutMs: number;
  /** After a failed try the source is left alone for this long, twice as long after each further one. */
  readonly retryAfterMs: number;
  readonly retryAfterMaxMs: number;
  /** The age from which a document is verified on use while events are lost. */
  readonly unverifiedMaxMs: number;
  /** How long the old copy of a changed document is served while the new one is read. */
  readonly changedMaxMs: number;
  /** The stream counts as lost after this long without an event. */
  readonly silenceMaxMs: number;
  /** The disk copy is written at most this often. */
  readonly diskIntervalMs: number;
  /** The disk copy's size in bytes; documents used least lately are left out. */
  readonly diskBytesMax: number;
}

const DEFAULTS: ReadModelLimits = {
  documentsMax: 200_000,
  sizeMax: 256 * 1024 * 1024,
  absentMax: 50_000,
  absentTtlMs: 30_000,
  readsMax: 4,
  pendingMax: 10_000,
  loadTimeoutMs: 2_000,
  verifyTimeoutMs: 300,
  retryAfterMs: 1_000,
  // With the time of one read still within the 10 s in which a removed document is refused.
  retryAfterMaxMs: 4_000,
  unverifiedMaxMs: 5_000,
  changedMaxMs: 500,
  silenceMaxMs: 3 * HEARTBEAT_MS,
  diskIntervalMs: 5_000,
  diskBytesMax: 64 * 1024 * 1024,
};

export const readModelLimits = (limits: Partial<ReadModelLimits> = {}): ReadModelLimits => ({
  ...DEFAULTS,
  ...limits,
});
