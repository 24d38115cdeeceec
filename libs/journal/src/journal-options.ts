import type { JournalLosses } from './journal-state';
import type { Problem } from './rate-limited-report';
import type { Sealer } from './sealer';

export interface JournalOptions {
  /**
   * Folder that only this process uses. It is created if missing; frames that an earlier process
   * left in it are adopted.
   */
  readonly directory: string;
  readonly sealer: Sealer;
  /** Size in bytes at which a segment is closed; 4 MiB when absent. */
  readonly segmentBytes?: number;
  /**
   * Maximum size of all segments together, in bytes; 1 GiB when absent. Further records are dropped
   * and counted.
   */
  readonly capBytes?: number;
  /** Whether callbacks wait until the disk has the records, instead of only the page cache. */
  readonly sync?: boolean;
  /** Called with problems, at most once per kind and 10 seconds. */
  readonly report?: (problem: Problem) => void;
}

export interface JournalStats extends Readonly<JournalLosses> {
  /** Frames written to the disk since the start. */
  readonly appended: number;
  /** Frames that the disk has refused to write; they wait in memory, up to 1 MiB. */
  readonly unwritten: number;
  /** Bytes that no sink has acknowledged. */
  readonly backlogBytes: number;
  /** Bytes that the segments occupy on the disk. */
  readonly diskBytes: number;
  /**
   * Time at which the oldest unacknowledged record was written, Unix milliseconds; null when all
   * are acknowledged.
   */
  readonly oldestAtMs: number | null;
}
