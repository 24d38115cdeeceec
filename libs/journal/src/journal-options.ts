import type { JournalLosses } from './journal-state';
import type { Problem } from './rate-limited-report';
import type { Sealer } from './sealer';

export interface JournalOptions {
  /** Used by this process alone. Made when it is missing; frames that an earlier process left in it are adopted. */
  readonly directory: string;
  readonly sealer: Sealer;
  /** A segment is closed once it has reached this size, in bytes; 4 MiB when absent. */
  readonly segmentBytes?: number;
  /** All segments together, in bytes; 1 GiB when absent. Frames past it are dropped and counted. */
  readonly capBytes?: number;
  /** Callbacks run once the disk itself has the records of their turn, not only the page cache. */
  readonly sync?: boolean;
  /** Reports what was lost, at most once per kind and 10 seconds. */
  readonly report?: (problem: Problem) => void;
}

export interface JournalStats extends Readonly<JournalLosses> {
  /** Frames written to the disk since the start. */
  readonly appended: number;
  /** Frames that the disk has refused so far; they wait in memory, up to 1 MiB. */
  readonly unwritten: number;
  /** Bytes that no sink has acknowledged. */
  readonly backlogBytes: number;
  /** Bytes that the segments take on the disk. */
  readonly diskBytes: number;
  /** When the oldest record that no sink has acknowledged was written, Unix milliseconds; null: there is none. */
  readonly oldestAtMs: number | null;
}
