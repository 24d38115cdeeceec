import {
  amendLogs,
  insertGuardrailFeedback,
  insertLogs,
  KnownLogZones,
  sqlStateOf,
  zonesOf,
  type LogEntry,
  type RequestLogRow,
} from '@gw/entities';
import { chargedOnce } from '../ledger/charged-once';
import type { LedgerBook } from '../ledger/ledger-book';
import { GatewayError } from '@gw/kernel';
import type { Frame } from '@gw/telemetry';
import { describeFault, type Log } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { enterVerdicts } from './guardrail-verdicts';
import { readFrame } from './log-entry';
import type { LogBodyPacker } from './log-bodies';
import { LogPartitions } from './log-partitions.service';
import { SharedWrites } from './shared-writes';

export interface Stored {
  /** Records that are stored, those that were there before included. */
  readonly accepted: number;
  /** Records that can't be stored, however often they come. */
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
}

/** Batches at work and waiting for others; each holds up to 16 MiB. */
const IN_FLIGHT_MAX = 16;
/** While one transaction waits for the disk, the next is filled. More would only wait for one another's balances. */
const TRANSACTIONS_MAX = 2;
const RECORDS_MAX = 4_000;

/** A batch on its way; `refused` are records that the database can't take. */
interface Batch {
  readonly entries: readonly LogEntry[];
  readonly days: ReadonlySet<number>;
  refused: number;
}

/**
 * Writes log records. Batches that come at the same time share a transaction, and each may come again. A record that the database can't take is
 * logged and left out, so that it does not hold up those behind it for ever; every other failure rejects the batches of the
 * transaction.
 */
@Injectable()
export class LogIngest {
  /**
   * Adds requests up in another store, before the transaction that stores them is over: it may be told of a request again, when that fails
   * afterwards. Null: they are added up in the database, in that transaction.
   */
  addUp: ((rows: readonly RequestLogRow[]) => Promise<void>) | null = null;
  /** Told of records that are new, after the commit. Must not throw. */
  onStored: (rows: readonly RequestLogRow[]) => void = () => undefined;
  readonly counts: IngestCounts = { batches: 0, failed: 0, stored: 0, known: 0, rejected: 0 };
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
  ) {}

  get busy(): number {
    return this.inFlight;
  }

  /** Resolves after the commit. Throws `unavailable` when too many batches are at work, or the database is away. */
  async store(frames: readonly Frame[]): Promise<Stored> {
    if (this.inFlight >= IN_FLIGHT_MAX) {
      throw new GatewayError('unavailable', { headers: { 'retry-after': '1' } });
    }
    this.inFlight += 1;
    try {
      const result = await this.storeAll(frames);
      this.counts.batches += 1;
      this.counts.rejected += result.rejected;
      return result;
    } catch (error) {
      this.counts.failed += 1;
      throw new GatewayError('unavailable', { cause: error });
    } finally {
      this.inFlight -= 1;
    }
  }

  private async storeAll(frames: readonly Frame[]): Promise<Stored> {
    const entries: LogEntry[] = [];
    const days = new Set<number>();
    for (const frame of frames) {
      const read = readFrame(frame, (day) => this.partitions.accepts(day));
      if (read.kind === 'refused') {
        this.log.error({ logId: read.id, reason: read.reason }, 'a log record was refused');
        continue;
      }
      entries.push(read.entry);
      days.add(read.day);
    }
    const batch: Batch = { entries: await this.bodies.place(entries), days, refused: 0 };
    await this.writes.add(batch);
    const accepted = entries.length - batch.refused;
    return { accepted, rejected: frames.length - accepted };
  }

  private async write(batches: readonly Batch[]): Promise<void> {
    const days = new Set(batches.flatMap((batch) => [...batch.days]));
    // In one order, so that two writers of the same records never wait for each other; equal ids stay in theirs.
    const entries = batches.flatMap((batch) => batch.entries).sort(byId);
    await this.partitions.ensure(days);
    let refused: ReadonlySet<LogEntry>;
    try {
      refused = await this.insert(entries);
    } catch (error) {
      if (!isMissingPartition(error)) throw error;
      this.partitions.forget();
      await this.partitions.ensure(days);
      refused = await this.insert(entries);
    }
    if (refused.size === 0) return;
    for (const batch of batches) batch.refused = batch.entries.filter((entry) => refused.has(entry)).length;
  }

  /** Halves what holds a record that the database can't take, until that one is found. Returns those that it is. */
  private async insert(entries: readonly LogEntry[]): Promise<ReadonlySet<LogEntry>> {
    const [first] = entries;
    if (!first) return new Set();
    try {
      await this.transact(entries);
      return new Set();
    } catch (error) {
      this.zones.forget();
      if (!isDataFault(error)) throw error;
      if (entries.length === 1) {
        this.log.error({ logId: first.row.id, ...describeFault(error) }, 'a log record could not be stored');
        return new Set(entries);
      }
      const middle = entries.length >> 1;
      const refused = await this.insert(entries.slice(0, middle));
      return new Set([...refused, ...(await this.insert(entries.slice(middle)))]);
    }
  }

  private async transact(entries: readonly LogEntry[]): Promise<void> {
    let stored: readonly RequestLogRow[] = [];
    const zones = this.zones.unknownOf(zonesOf(entries.map(({ row }) => row)));
    const touched = await this.source.transaction(async (manager) => {
      const own = await chargedOnce(manager, entries);
      const fresh = await insertLogs(manager, own, { rollUp: this.addUp === null, zones });
      const news = firstOfEach(own, fresh);
      stored = news.map(({ row }) => row);
      await this.addUp?.(stored);
      await insertGuardrailFeedback(manager, news, fresh);
      const late = await amendLogs(manager, entries);
      await enterVerdicts(manager, [...news.map(({ row }) => ({ row, known: 0 })), ...late]);
      // Last, since whoever else charges the same budgets waits from here on.
      return this.book.enter(manager, news, fresh);
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

const isMissingPartition = (error: unknown): boolean =>
  sqlStateOf(error) === '23514' &&
  error instanceof Error &&
  error.message.includes('no partition of relation');

/** SQLSTATE classes 22 (data exception), 23 (integrity constraint) and 54 (a limit of Postgres): the same again next time. */
const isDataFault = (error: unknown): boolean =>
  /^(?:22|23|54)/.test(sqlStateOf(error)) && !isMissingPartition(error);
