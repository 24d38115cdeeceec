import { GatewayError, Shares } from '@gw/kernel';
import { listLogs, type LogFilter, type StoredRequestLog } from '@gw/log-store';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { logResponse } from './log.view';

/** Maximum concurrent tails of this process, shared among callers. Each queries the database once per second. */
const TAILS_MAX = 50;
const POLL_MS = 1_000;
/** Maximum logs per query; the newest are sent if there are more. */
const AT_ONCE = 500;
/**
 * How far back a query looks, in milliseconds: records arrive seconds after their request, or later from a gateway that
 * was disconnected.
 */
const LATE_MS = 60_000;
/** Maximum unsent bytes. A slower client gets no further logs until it has read some. */
const PENDING_BYTES_MAX = 1_048_576;

/** Streams new logs as server-sent events when they are stored. */
@Injectable()
export class LogTail implements BeforeApplicationShutdown {
  private readonly open = new Set<ServerResponse>();
  private readonly places = new Shares(TAILS_MAX);

  constructor(private readonly dataSource: DataSource) {}

  beforeApplicationShutdown(): void {
    for (const res of this.open) res.end();
  }

  /**
   * Sends a `log` event for each new log, oldest first, in the form of lists; a `skipped` event when there are more
   * than can be sent; a comment when there are none. Ends after `seconds`, which bounds the cost of a lost client or a
   * revoked key. Throws `unavailable` when no tail slot is free.
   */
  async follow(
    caller: Pick<Principal, 'organisationId' | 'userId' | 'apiKeyId'>,
    filter: LogFilter,
    seconds: number,
    takeOver: () => ServerResponse,
  ): Promise<void> {
    const { organisationId, userId, apiKeyId } = caller;
    const share = this.places.of(userId ?? apiKeyId ?? organisationId, organisationId);
    if (!share.take(1))
      throw new GatewayError('unavailable', {
        message: 'Too many tails are open, by you or in total; close one or try again later.',
        headers: { 'retry-after': '10' },
      });
    const startedAt = Date.now();
    const seen = new Map<string, number>();
    const res = takeOver();
    this.open.add(res);
    res.on('error', () => undefined);
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    res.write(': tail\n\n');
    try {
      while (!res.destroyed && !res.writableEnded && Date.now() - startedAt < seconds * 1_000) {
        if (res.writableLength < PENDING_BYTES_MAX) await this.poll(filter, startedAt, seen, res);
        await closedWithin(res, POLL_MS);
      }
      res.end();
    } catch {
      // The client reconnects.
      res.destroy();
    } finally {
      this.open.delete(res);
      share.give(1);
    }
  }

  private async poll(
    filter: LogFilter,
    startedAt: number,
    seen: Map<string, number>,
    res: ServerResponse,
  ): Promise<void> {
    const from = Math.max(startedAt, Date.now() - LATE_MS);
    const { created_at: times } = filter.ranges;
    const min = new Date(Math.max(from, Number(times?.min ?? 0)));
    const ranges = { ...filter.ranges, created_at: { ...times, min } };
    const rows = await listLogs(this.dataSource.manager, { ...filter, ranges }, AT_ONCE);
    const fresh = rows.filter(({ id }) => !seen.has(id));
    if (rows.length === AT_ONCE && fresh.length === AT_ONCE) res.write('event: skipped\ndata: {}\n\n');
    for (const row of fresh.reverse()) send(res, row);
    if (fresh.length === 0) res.write(': \n\n');
    for (const { id, created_at } of fresh) seen.set(id, created_at.getTime());
    for (const [id, at] of seen) if (at < from) seen.delete(id);
  }
}

function send(res: ServerResponse, row: StoredRequestLog): void {
  res.write(`event: log\nid: ${row.id}\ndata: ${JSON.stringify(logResponse(row))}\n\n`);
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
