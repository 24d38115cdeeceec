import { HEARTBEAT_MS } from '@gw/contracts';

export interface ReadModelLimits {
  /** Maximum documents in memory; the least recently used ones are dropped. */
  readonly documentsMax: number;
  /** Maximum total size of these documents as JSON text, in characters. */
  readonly sizeMax: number;
  /** Maximum keys known to have no document; the oldest are dropped. */
  readonly absentMax: number;
  /** How long a key is known to have no document, in milliseconds. */
  readonly absentTtlMs: number;
  /** Maximum number of concurrent reads of the source, with 256 keys each. */
  readonly readsMax: number;
  /**
   * Maximum keys being read or waiting; more are refused as unavailable, except those of changed
   * documents.
   */
  readonly pendingMax: number;
  /** Maximum wait for an unknown document. */
  readonly loadTimeoutMs: number;
  /** Maximum wait for the verification of a known document. */
  readonly verifyTimeoutMs: number;
  /** Pause after a failed read; it doubles after each further failure, up to `retryAfterMaxMs`. */
  readonly retryAfterMs: number;
  readonly retryAfterMaxMs: number;
  /** The age from which a document is verified on use while events are lost. */
  readonly unverifiedMaxMs: number;
  /** How long the old copy of a changed document is served while the new one is read. */
  readonly changedMaxMs: number;
  /** Milliseconds without an event after which the stream counts as lost. */
  readonly silenceMaxMs: number;
  /** Minimum interval between writes of the disk copy. */
  readonly diskIntervalMs: number;
  /** Maximum bytes of the disk copy; the least recently used documents are left out. */
  readonly diskBytesMax: number;
}

/**
 * Milliseconds after which a read of the control plane counts as failed. A slow control plane makes
 * the first request of a key slow; a shorter limit would refuse it.
 */
export const READ_TIMEOUT_MS = 5_000;

const DEFAULTS: ReadModelLimits = {
  documentsMax: 200_000,
  sizeMax: 256 * 1024 * 1024,
  absentMax: 50_000,
  absentTtlMs: 30_000,
  readsMax: 4,
  pendingMax: 10_000,
  loadTimeoutMs: READ_TIMEOUT_MS,
  verifyTimeoutMs: 300,
  retryAfterMs: 1_000,
  // Including one read, this is within the 10 s after which a removed document is refused.
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
