import { chargeByName } from '../ledger/charged-once';
import { correctRollups, type CorrectSums } from '../ledger/correct-sums';
import { revertLogEstimates } from '../ledger/given-back';
import type { LedgerBook } from '../ledger/ledger-book';
import type { Frame } from '@gw/journal';
import { GatewayError } from '@gw/kernel';
import {
  amendLogs,
  dayOf,
  insertGuardrailFeedback,
  insertLogs,
  KnownLogZones,
  zonesOf,
  type LogEntry,
  type RequestLogRow,
} from '@gw/log-store';
import type { Log } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { enterVerdicts } from './guardrail-verdicts';
import { readBare, readFrame, withTime, type ReadRecord } from './log-entry';
import type { LogBodyPacker } from './log-bodies';
import { LogPartitions } from './log-partitions.service';
import { LogQuarantine } from './log-quarantine';
import { isMissingPartition, isOfData } from './record-faults';
import { possibleTimes } from './possible-times';
import { SharedWrites } from './shared-writes';
import { storeIsolatingFailures } from './store-apart';

export interface Stored {
  /** Number of stored records, including those that were stored before. */
  readonly accepted: number;
  /** Number of records that cannot be stored on any attempt; they are quarantined. */
  readonly rejected: number;
}

/** Counts since the start of the process. */
export interface IngestCounts {
  batches: number;
  /** Batches that the gateway must send again. */
  failed: number;
  /** Records that were new. */
  stored: number;
  /** Records that were stored before, and amendments of records. */
  known: number;
  rejected: number;
  /** Records stored under their time of arrival because their own time is implausible. */
  skewed: number;
}

/** Maximum number of batches in progress and waiting; each holds up to 16 MiB. */
const IN_FLIGHT_MAX = 16;
/**
 * Concurrent transactions: while one waits for the disk, the next is filled. More would only wait
 * for each other's balances.
 */
const TRANSACTIONS_MAX = 2;
const RECORDS_MAX = 4_000;
/**
 * Response time limit in milliseconds. Gateways time out after 30 seconds; they get a response
 * earlier and repeat a batch that is still being written.
 */
const RESPONSE_WITHIN_MS = 20_000;
/** How long records are parsed before other work of the event loop runs, in milliseconds. */
const TURN_MS = 10;

/** A batch in progress; `refused` counts its records that the database refuses. */
interface Batch {
  readonly entries: readonly LogEntry[];
  readonly days: ReadonlySet<number>;
  /**
   * The original frame of each entry. An id may occur twice: a record and its amendment share it.
   */
  readonly frames: ReadonlyMap<LogEntry, Frame>;
  refused: number;
}

type FrameOf = (entry: LogEntry) => Frame | undefined;

/**
 * Writes log records. Batches that arrive at the same time share a transaction, and any batch may
 * be repeated.
 *
 * A batch that fails because of a record is halved until that record is alone. The worker then
 * stores the record without bodies and texts, so that its charge counts, and quarantines the
 * original. Every other failure rejects the batches of the transaction: a failure of the database
 * as a whole, and one that also occurs for the bare record.
 */
@Injectable()
export class LogIngest {
  /**
   * Adds requests to an external analytics store before the storing transaction commits; a failed
   * transaction repeats them. Null: the transaction itself adds them to the rollups.
   */
  addUp: ((rows: readonly RequestLogRow[]) => Promise<void>) | null = null;
  /** Corrects analytics after the reversal of an estimate. */
  correctSums: CorrectSums = correctRollups;
  /** Called with the new records after the commit. Must not throw. */
  onStored: (rows: readonly RequestLogRow[]) => void = () => undefined;
  readonly counts: IngestCounts = { batches: 0, failed: 0, stored: 0, known: 0, rejected: 0, skewed: 0 };
  readonly quarantine: LogQuarantine;
  private inFlight = 0;
  private readonly zones = new KnownLogZones();
  private readonly writes = new SharedWrites<Batch>({
    write: (batches) => this.write(batches),
    sizeOf: ({ entries }) => entries.length,
    sizeMax: RECORDS_MAX,
    atOnce: TRANSACTIONS_MAX,
  });

  constructor(
    private readonly source: DataSource,
    private readonly partitions: LogPartitions,
    private readonly book: LedgerBook,
    private readonly bodies: LogBodyPacker,
    private readonly log: Log,
  ) {
    this.quarantine = new LogQuarantine(source, log);
  }

  get busy(): number {
    return this.inFlight;
  }

  /**
   * Resolves after the commit. Throws `unavailable` when too many batches are in progress or the
   * database is down.
   */
  async store(frames: readonly Frame[]): Promise<Stored> {
    if (this.inFlight >= IN_FLIGHT_MAX) {
      throw new GatewayError('unavailable', { headers: { 'retry-after': '1' } });
    }
    this.inFlight += 1;
    const storing = this.storeAll(frames).finally(() => {
      this.inFlight -= 1;
    });
    try {
      const result = await inTime(storing, RESPONSE_WITHIN_MS);
      this.counts.batches += 1;
      this.counts.rejected += result.rejected;
      return result;
    } catch (error) {
      this.counts.failed += 1;
      throw new GatewayError('unavailable', { cause: error });
    }
  }

  private async storeAll(frames: readonly Frame[]): Promise<Stored> {
    const readable: LogEntry[] = [];
    const readFrames: Frame[] = [];
    const skewed = new Set<LogEntry>();
    let since = performance.now();
    for (const frame of frames) {
      const read = await this.read(frame);
      if (read) {
        readable.push(read.entry);
        if (read.isSkewed) skewed.add(read.entry);
        readFrames.push(frame);
      }
      if (performance.now() - since < TURN_MS) continue;
      await setImmediate();
      since = performance.now();
    }
    const entries = await this.withPossibleTimes(readable, skewed);
    const days = new Set(entries.map(({ row }) => dayOf(row.created_at)));
    const placed = await this.bodies.place(entries);
    // `withPossibleTimes` and `place` keep number and order of the entries.
    const frameOf = new Map(placed.flatMap((entry, at) => pairOf(entry, readFrames[at])));
    const batch: Batch = { entries: placed, days, frames: frameOf, refused: 0 };
    await this.writes.add(batch);
    const accepted = entries.length - batch.refused;
    return { accepted, rejected: frames.length - accepted };
  }

  /** Parses a record; null if even the bare record is unreadable, which is then quarantined. */
  private async read(frame: Frame): Promise<ReadRecord | null> {
    const accepts = (createdAt: Date): boolean => this.partitions.accepts(createdAt);
    const [read, fault] = outcomeOf(() => readFrame(frame, accepts));
    if (read && !this.quarantine.has(read.entry.row.id)) return read;
    const bare = readBare(frame, accepts);
    if (!read) await this.quarantine.add(frame, fault, bare !== null);
    return bare;
  }

  /** Moves records with an implausible time to their time of first arrival. */
  private async withPossibleTimes(
    entries: readonly LogEntry[],
    skewed: ReadonlySet<LogEntry>,
  ): Promise<readonly LogEntry[]> {
    const times = await possibleTimes(this.source.manager, entries, skewed, this.partitions);
    if (times.size === 0) return entries;
    this.counts.skewed += times.size;
    const [first] = times.keys();
    this.log.warn(
      { records: times.size, logId: first?.row.id },
      'log records have timestamps of a skewed clock',
    );
    return entries.map((entry) => {
      const time = times.get(entry);
      return time === undefined ? entry : withTime(entry, time);
    });
  }

  private async write(batches: readonly Batch[]): Promise<void> {
    const days = new Set(batches.flatMap((batch) => [...batch.days]));
    // A fixed order keeps two writers of the same records from waiting for each other; equal ids
    // stay in order.
    const entries = batches.flatMap((batch) => batch.entries).sort(compareIds);
    await this.partitions.ensure(days);
    const frameOf: FrameOf = (entry) => batches.map(({ frames }) => frames.get(entry)).find(Boolean);
    let refused: ReadonlySet<LogEntry>;
    try {
      refused = await this.insert(entries, frameOf);
    } catch (error) {
      if (!isMissingPartition(error)) throw error;
      this.partitions.forget();
      await this.partitions.ensure(days);
      refused = await this.insert(entries, frameOf);
    }
    if (refused.size === 0) return;
    for (const batch of batches) batch.refused = batch.entries.filter((entry) => refused.has(entry)).length;
  }

  /** Stores entries and returns those that are not in the log. */
  private insert(entries: readonly LogEntry[], frameOf: FrameOf): Promise<ReadonlySet<LogEntry>> {
    return storeIsolatingFailures(entries, {
      store: (some) => this.transact(some),
      setAside: (entry, error) => this.setAside(entry, frameOf(entry), error),
    });
  }

  /**
   * Stores the bare form of a record that failed alone, and quarantines the original. Returns false
   * if the record is only in the quarantine. If the bare record fails too, the record is not at
   * fault, unless Postgres refuses its data.
   */
  private async setAside(entry: LogEntry, frame: Frame | undefined, error: unknown): Promise<boolean> {
    const bare = frame && readBare(frame, () => true);
    if (!bare) throw error;
    const { id, created_at } = entry.row;
    const isStored = await this.transact([
      { ...bare.entry, row: { ...bare.entry.row, id, created_at } },
    ]).then(
      () => true,
      (second: unknown) => {
        if (isOfData(second)) return false;
        throw second;
      },
    );
    await this.quarantine.add(frame, error, isStored);
    return isStored;
  }

  private async transact(entries: readonly LogEntry[]): Promise<void> {
    let stored: readonly RequestLogRow[] = [];
    const zones = this.zones.unknownOf(zonesOf(entries.map(({ row }) => row)));
    const writing = this.source.transaction(async (manager) => {
      const named = await chargeByName(manager, entries);
      const insertedIds = await insertLogs(manager, named.entries, { rollUp: this.addUp === null, zones });
      const inserted = firstOfEach(named.entries, insertedIds);
      stored = inserted.map(({ row }) => row);
      await this.addUp?.(stored);
      const amended = await amendLogs(manager, entries);
      const judged = [...inserted.map(({ row }) => ({ row, verdictsBefore: 0 })), ...amended];
      await insertGuardrailFeedback(manager, judged);
      await enterVerdicts(manager, judged);
      await revertLogEstimates(manager, named.givenBack, this.correctSums);
      // Last, because transactions that charge the same budgets wait from here on.
      return this.book.enter(manager, inserted, insertedIds, named);
    });
    const touched = await writing.catch((error: unknown) => {
      this.zones.forget();
      throw error;
    });
    this.book.committed(touched);
    this.zones.add(zones);
    this.counts.stored += stored.length;
    this.counts.known += entries.length - stored.length;
    this.onStored(stored);
  }
}

const compareIds = ({ row: one }: LogEntry, { row: other }: LogEntry): number => {
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
};

/** Keeps one entry for each new id: a batch may contain an id twice. */
function firstOfEach(entries: readonly LogEntry[], fresh: ReadonlySet<string>): LogEntry[] {
  const first = new Map<string, LogEntry>();
  for (const entry of entries) {
    const { id } = entry.row;
    if (fresh.has(id) && !first.has(id)) first.set(id, entry);
  }
  return [...first.values()];
}

const pairOf = (entry: LogEntry, frame: Frame | undefined): [LogEntry, Frame][] =>
  frame === undefined ? [] : [[entry, frame]];

/** Rejects if the work takes longer than `ms`; the work itself continues. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The batch was not stored within ${String(ms)} ms.`));
    }, ms);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the result of a step, or the error that it threw. */
function outcomeOf<T>(step: () => T): readonly [T | null, unknown] {
  try {
    return [step(), null];
  } catch (error) {
    return [null, error];
  }
}
