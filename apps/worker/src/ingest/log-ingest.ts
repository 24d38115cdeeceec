import { insertLogs, type LogEntry } from '@gw/entities';
import type { LedgerBook } from '../ledger/ledger-book';
import { GatewayError } from '@gw/kernel';
import type { Frame } from '@gw/telemetry';
import { describeFault, type Log } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError } from 'typeorm';
import { readFrame } from './log-entry';
import { LogPartitions } from './log-partitions.service';

export interface Stored {
  /** Records that are stored, those that were there before included. */
  readonly accepted: number;
  /** Records that can't be stored, however often they come. */
  readonly rejected: number;
}

/** Batches at work and waiting for a connection; each holds up to 16 MiB. */
const IN_FLIGHT_MAX = 16;

/**
 * Writes log records. A batch is one transaction and may come again. A record that the database can't take is logged and left
 * out, so that it does not hold up those behind it for ever; every other failure rejects the whole batch.
 */
@Injectable()
export class LogIngest {
  private inFlight = 0;

  constructor(
    private readonly source: DataSource,
    private readonly partitions: LogPartitions,
    private readonly book: LedgerBook,
    private readonly log: Log,
  ) {}

  /** Resolves after the commit. Throws `unavailable` when too many batches are at work, or the database is away. */
  async store(frames: readonly Frame[]): Promise<Stored> {
    if (this.inFlight >= IN_FLIGHT_MAX) {
      throw new GatewayError('unavailable', { headers: { 'retry-after': '1' } });
    }
    this.inFlight += 1;
    try {
      return await this.storeAll(frames);
    } catch (error) {
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
    const accepted = await this.insertWithPartitions(entries, days);
    return { accepted, rejected: frames.length - accepted };
  }

  private async insertWithPartitions(
    entries: readonly LogEntry[],
    days: ReadonlySet<number>,
  ): Promise<number> {
    await this.partitions.ensure(days);
    try {
      return await this.insert(entries);
    } catch (error) {
      if (!isMissingPartition(error)) throw error;
      this.partitions.forget();
      await this.partitions.ensure(days);
      return this.insert(entries);
    }
  }

  /** Halves a batch that holds a record which the database can't take, until that one is found. */
  private async insert(entries: readonly LogEntry[]): Promise<number> {
    const [first] = entries;
    if (!first) return 0;
    try {
      const touched = await this.source.transaction(async (manager) => {
        const fresh = await insertLogs(manager, entries);
        return this.book.enter(manager, entries, fresh);
      });
      this.book.committed(touched);
      return entries.length;
    } catch (error) {
      if (!isDataFault(error)) throw error;
      if (entries.length === 1) {
        this.log.error({ logId: first.row.id, ...describeFault(error) }, 'a log record could not be stored');
        return 0;
      }
      const middle = entries.length >> 1;
      return (await this.insert(entries.slice(0, middle))) + (await this.insert(entries.slice(middle)));
    }
  }
}

const sqlStateOf = (error: unknown): string =>
  error instanceof QueryFailedError ? ((error.driverError as { code?: string }).code ?? '') : '';

const isMissingPartition = (error: unknown): boolean =>
  sqlStateOf(error) === '23514' &&
  error instanceof Error &&
  error.message.includes('no partition of relation');

/** SQLSTATE classes 22 (data exception), 23 (integrity constraint) and 54 (a limit of Postgres): the same again next time. */
const isDataFault = (error: unknown): boolean =>
  /^(?:22|23|54)/.test(sqlStateOf(error)) && !isMissingPartition(error);
