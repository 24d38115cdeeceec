import { chargedOnce } from '../ledger/charged-once';
import { correctRollups, type CorrectSums } from '../ledger/correct-sums';
import { giveBackOfLogs } from '../ledger/given-back';
import type { LedgerBook } from '../ledger/ledger-book';
import { GatewayError } from '@gw/kernel';
import {
  amendLogs,
  dayOf,
  insertGuardrailFeedback,
  insertLogs,
  KnownLogZones,
  timesOfSkewed,
  zonesOf,
  type LogEntry,
  type RequestLogRow,
} from '@gw/log-store';
import type { Frame } from '@gw/telemetry';
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
import { SharedWrites } from './shared-writes';
import { storeApart } from './store-apart';

export interface Stored {
  /** Records that are stored, those that were there before included. */
  readonly accepted: number;
  /** Records that can't be stored, however often they come; they are in the quarantine. */
  readonly rejected: number;
}

/** Since the start. */
export interface IngestCounts {
  batches: number;
  /** Batches that must come again. */
  failed: number;
  /** Records that were new. */
  stored: number;
  /** Records that were there already. */
  known: number;
  rejected: number;
  /** Records that were stored under the time of their arrival, since their own could not be right. */
  skewed: number;
}

/** Batches at work and waiting for others; each holds up to 16 MiB. */
const IN_FLIGHT_MAX = 16;
/** While one transaction waits for the disk, the next is filled. More would only wait for one another's balances. */
const TRANSACTIONS_MAX = 2;
const RECORDS_MAX = 4_000;
/** Senders give up after 30 seconds: they are answered before, and send again what is written meanwhile. */
const ANSWER_WITHIN_MS = 20_000;
/** How long records are read before other work of the event loop goes first. */
const TURN_MS = 10;

/** A batch on its way; `refused` are records that the database can't take. */
interface Batch {
  readonly entries: readonly LogEntry[];
  readonly days: ReadonlySet<number>;
  /** As they came, by the id of the record. */
  readonly frames: ReadonlyMap<string, Frame>;
  refused: number;
}

type FrameOf = (id: string) => Frame | undefined;

/**
 * Writes log records. Batches that come at the same time share a transaction, and each may come again. What fails by a record is
 * halved until that record is alone; it is then stored without its bodies and texts, so that its charge counts, and kept in the
 * quarantine as it came. Every other failure rejects the batches of the transaction: that of the database as a whole, and one that the bare record
 * meets too.
 */
@Injectable()
export class LogIngest {
  /**
   * Adds requests up in another store, before the transaction that stores them is over: it may receive a request again, when that fails
   * afterwards. Null: they are added up in the database, in that transaction.
   */
  addUp: ((rows: readonly RequestLogRow[]) => Promise<void>) | null = null;
  /** Corrects what was added up. */
  correctSums: CorrectSums = correctRollups;
  /** Called with new records, after the commit. Must not throw. */
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

  /** Resolves after the commit. Throws `unavailable` when too many batches are at work, or the database is away. */
  async store(frames: readonly Frame[]): Promise<Stored> {
    if (this.inFlight >= IN_FLIGHT_MAX) {
      throw new GatewayError('unavailable', { headers: { 'retry-after': '1' } });
    }
    this.inFlight += 1;
    const storing = this.storeAll(frames).finally(() => {
      this.inFlight -= 1;
    });
    try {
      const result = await inTime(storing, ANSWER_WITHIN_MS);
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
    const skewed = new Set<LogEntry>();
    const frameOf = new Map<string, Frame>();
    let since = performance.now();
    for (const frame of frames) {
      const read = await this.read(frame);
      if (read) {
        readable.push(read.entry);
        if (read.isSkewed) skewed.add(read.entry);
        frameOf.set(read.entry.row.id, frame);
      }
      if (performance.now() - since < TURN_MS) continue;
      await setImmediate();
      since = performance.now();
    }
    const entries = await this.withPossibleTimes(readable, skewed);
    const days = new Set(entries.map(({ row }) => dayOf(row.created_at)));
    const batch: Batch = { entries: await this.bodies.place(entries), days, frames: frameOf, refused: 0 };
    await this.writes.add(batch);
    const accepted = entries.length - batch.refused;
    return { accepted, rejected: frames.length - accepted };
  }

  /** Null: the record can't be read, not even without its texts, and is in the quarantine. */
  private async read(frame: Frame): Promise<ReadRecord | null> {
    const accepts = (createdAt: Date): boolean => this.partitions.accepts(createdAt);
    const [read, fault] = outcomeOf(() => readFrame(frame, accepts));
    if (read && !this.quarantine.has(read.entry.row.id)) return read;
    const bare = readBare(frame, accepts);
    if (!read) await this.quarantine.add(frame, fault, bare !== null);
    return bare;
  }

  /** Records of a clock that is far off are stored under the time of their first arrival. */
  private async withPossibleTimes(
    entries: readonly LogEntry[],
    skewed: ReadonlySet<LogEntry>,
  ): Promise<readonly LogEntry[]> {
    if (skewed.size === 0) return entries;
    const ids = [...skewed].map(({ row }) => row.id);
    const times = await timesOfSkewed(this.source.manager, ids, new Date());
    this.counts.skewed += skewed.size;
    this.log.warn(
      { records: skewed.size, logId: ids[0] },
      'log records have timestamps of a clock that is far off',
    );
    return entries.map((entry) => {
      const time = skewed.has(entry) ? times.get(entry.row.id) : undefined;
      return time === undefined ? entry : withTime(entry, time);
    });
  }

  private async write(batches: readonly Batch[]): Promise<void> {
    const days = new Set(batches.flatMap((batch) => [...batch.days]));
    // In one order, so that two writers of the same records never wait for each other; equal ids stay in theirs.
    const entries = batches.flatMap((batch) => batch.entries).sort(byId);
    await this.partitions.ensure(days);
    const frameOf = (id: string) => batches.map(({ frames }) => frames.get(id)).find(Boolean);
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

  /** Returns those that are not in the log. */
  private insert(entries: readonly LogEntry[], frameOf: FrameOf): Promise<ReadonlySet<LogEntry>> {
    return storeApart(entries, {
      store: (some) => this.transact(some),
      setAside: (entry, error) => this.setAside(entry, frameOf(entry.row.id), error),
    });
  }

  /**
   * Stores what can be stored of a record that failed alone, and keeps all of it in the quarantine. False: it is there only. The bare record shows
   * whose fault it was: what keeps it from being stored, too, is no fault of the record, but where its data are refused.
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
      const once = await chargedOnce(manager, entries);
      const fresh = await insertLogs(manager, once.entries, { rollUp: this.addUp === null, zones });
      const news = firstOfEach(once.entries, fresh);
      stored = news.map(({ row }) => row);
      await this.addUp?.(stored);
      await insertGuardrailFeedback(manager, news, fresh);
      const late = await amendLogs(manager, entries);
      await enterVerdicts(manager, [...news.map(({ row }) => ({ row, known: 0 })), ...late]);
      await giveBackOfLogs(manager, once.givenBack, this.correctSums);
      // Last, since others that charge the same budgets wait from here on.
      return this.book.enter(manager, news, fresh, once);
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

const byId = ({ row: one }: LogEntry, { row: other }: LogEntry): number => {
  if (one.id === other.id) return 0;
  return one.id < other.id ? -1 : 1;
};

/** One entry for each new id: a batch may name one twice. */
function firstOfEach(entries: readonly LogEntry[], fresh: ReadonlySet<string>): LogEntry[] {
  const byId = new Map<string, LogEntry>();
  for (const entry of entries) {
    const { id } = entry.row;
    if (fresh.has(id) && !byId.has(id)) byId.set(id, entry);
  }
  return [...byId.values()];
}

/** Rejects when the work takes longer; it goes on all the same. */
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

/** What a step returned, or what it threw. */
function outcomeOf<T>(step: () => T): readonly [T | null, unknown] {
  try {
    return [step(), null];
  } catch (error) {
    return [null, error];
  }
}
