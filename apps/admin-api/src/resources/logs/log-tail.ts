import { GatewayError, Shares, type Share } from '@gw/kernel';
import { logsOfIds, recentLogs, type LogFilter, type RecentLogs, type StoredRequestLog } from '@gw/log-store';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { logResponse } from './log.view';

/**
 * Maximum number of concurrent tails of this process, shared among callers. Each queries the
 * database once per second.
 */
const TAILS_MAX = 50;
const POLL_MS = 1_000;
/** Maximum number of logs sent for one query. If there are more, the newest are sent. */
const AT_ONCE = 500;
/** Maximum number of logs of the workspace that a query reads. */
const READ_MAX = 5_000;
/**
 * How far back a query looks, in milliseconds. Records arrive seconds after their request, or later
 * from a gateway that was disconnected.
 */
const LATE_MS = 60_000;
/** Maximum unsent bytes. A slower client gets no further logs until it has read some. */
const PENDING_BYTES_MAX = 1_048_576;
/** How often a tail checks that its caller may still read logs, in milliseconds. */
const ACCESS_MS = 5_000;

export interface Tail {
  readonly caller: Pick<Principal, 'organisationId' | 'userId' | 'apiKeyId'>;
  readonly filter: LogFilter;
  readonly seconds: number;
  /** Whether the caller could still open the tail. */
  readonly mayContinue: () => Promise<boolean>;
  /** Returns the raw response, which the tail then owns. */
  readonly takeOver: () => ServerResponse;
}

/** Streams newly stored logs as server-sent events. */
@Injectable()
export class LogTail implements BeforeApplicationShutdown {
  private readonly open = new Set<ServerResponse>();
  private readonly places = new Shares(TAILS_MAX);
  private isStopping = false;

  constructor(private readonly dataSource: DataSource) {}

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const res of this.open) res.end();
  }

  /**
   * Sends a `log` event for each new log, oldest first, in the form of lists; a `skipped` event
   * when there are more than can be sent; a comment when there are none. Ends after `seconds`, and
   * within seconds after the caller's credential or rights have ended. Throws `unavailable` when no
   * tail slot is free.
   */
  async follow({ caller, filter, seconds, mayContinue, takeOver }: Tail): Promise<void> {
    const { organisationId, userId, apiKeyId } = caller;
    const share = this.places.of(userId ?? apiKeyId ?? organisationId, organisationId);
    if (!share.take(1))
      throw new GatewayError('unavailable', {
        message: 'Too many tails are open, by you or in total; close one or try again later.',
        headers: { 'retry-after': '10' },
      });
    const endsAt = Date.now() + seconds * 1_000;
    let checkedAt = Date.now();
    const logs = new NewLogs(this.dataSource, filter);
    await this.begin(logs, share);
    const res = takeOver();
    this.open.add(res);
    res.on('error', () => undefined);
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    res.write(': tail\n\n');
    try {
      while (!res.destroyed && !res.writableEnded && Date.now() < endsAt) {
        if (Date.now() - checkedAt >= ACCESS_MS) {
          if (!(await mayContinue())) break;
          checkedAt = Date.now();
        }
        if (res.writableLength < PENDING_BYTES_MAX) send(res, await logs.next());
        await closedWithin(res, POLL_MS);
      }
      res.end();
    } catch {
      // The client reconnects after this.
      res.destroy();
    } finally {
      this.open.delete(res);
      share.give(1);
    }
  }

  /**
   * Records which logs are already stored before the response begins; a list that the client reads
   * afterwards contains them. Releases the tail slot when that fails or the process is stopping.
   */
  private async begin(logs: NewLogs, share: Share): Promise<void> {
    try {
      await logs.begin();
      if (this.isStopping) throw new GatewayError('unavailable', { headers: { 'retry-after': '1' } });
    } catch (error) {
      share.give(1);
      throw error;
    }
  }
}

interface NewRows {
  /** Rows to send, oldest first. */
  readonly rows: readonly StoredRequestLog[];
  /** Number of matching logs that are not among the rows. */
  readonly skipped: number;
  /**
   * False when there are more new logs than a query reads, so that more logs may have been skipped.
   */
  readonly isExact: boolean;
}

/**
 * Finds each log of a filter once when it is stored while the tail runs. A log is stored a moment
 * after its request has ended, so the request may have begun earlier.
 */
class NewLogs {
  private seen = new Set<string>();
  /** Time of the newest log that was read. */
  private readUntil = Date.now();

  constructor(
    private readonly dataSource: DataSource,
    private readonly filter: LogFilter,
  ) {}

  /** Records which logs are already stored. */
  async begin(): Promise<void> {
    const { ids } = await this.recent(this.since());
    this.seen = new Set(ids);
  }

  async next(): Promise<NewRows> {
    const { manager } = this.dataSource;
    const { owner } = this.filter;
    const since = this.since();
    const { ids, newest, cutAt } = await this.recent(since);
    const fresh = ids.filter((id) => !this.seen.has(id));
    const isExact = cutAt === null || cutAt.getTime() <= this.readUntil;
    const rows =
      fresh.length === 0 ? [] : await logsOfIds(manager, owner, { ids: fresh.slice(0, AT_ONCE), since });
    // Ids that are no longer read are forgotten, because their logs are too old to be read again.
    this.seen = new Set(ids);
    this.readUntil = newest?.getTime() ?? this.readUntil;
    return { rows: [...rows].reverse(), skipped: fresh.length - rows.length, isExact };
  }

  private since(): Date {
    return new Date(Math.max(Date.now() - LATE_MS, Number(this.filter.ranges.created_at?.min ?? 0)));
  }

  private recent(since: Date): Promise<RecentLogs> {
    const { ranges } = this.filter;
    // The paging parameters of lists are ignored.
    const filter = {
      ...this.filter,
      after: null,
      ranges: { ...ranges, created_at: { ...ranges.created_at, min: since } },
    };
    return recentLogs(this.dataSource.manager, filter, READ_MAX);
  }
}

function send(res: ServerResponse, { rows, skipped, isExact }: NewRows): void {
  if (skipped > 0 || !isExact) {
    const event = { count: skipped, exact: isExact };
    res.write(`event: skipped\ndata: ${JSON.stringify(event)}\n\n`);
  }
  for (const row of rows)
    res.write(`event: log\nid: ${row.id}\ndata: ${JSON.stringify(logResponse(row))}\n\n`);
  if (rows.length === 0) res.write(': \n\n');
}

const closedWithin = (res: ServerResponse, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      res.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    res.once('close', done);
  });
