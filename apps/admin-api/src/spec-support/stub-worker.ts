import { completeLogRecord, type LogRecord } from '@gw/contracts';
import { decodeFrames } from '@gw/journal';
import { dayOf, ensureLogPartitions, insertLogs, requestLogRow } from '@gw/log-store';
import { StubProvider, type RecordedRequest } from '@gw/testing';
import type { DataSource } from 'typeorm';
import { SERVICE_TOKEN } from './admin-api';

/** A stub of the worker: stores records and responds with 200. */
export class StubWorker {
  /** Responds with 503 while true. */
  isAway = false;

  private constructor(
    readonly stub: StubProvider,
    private readonly source: () => DataSource,
  ) {
    stub.respond((request) => {
      if (this.isAway) return { status: 503 };
      if (request.headers['authorization'] !== `Bearer ${SERVICE_TOKEN}`) return { status: 401 };
      return { after: this.store(request), body: { accepted: 1 } };
    });
  }

  static async start(source: () => DataSource): Promise<StubWorker> {
    return new StubWorker(await StubProvider.start(), source);
  }

  private async store({ body }: RecordedRequest): Promise<void> {
    const entries = decodeFrames(body).frames.map(({ meta, request, response }) => {
      const record = completeLogRecord(JSON.parse(meta.toString()) as Partial<LogRecord>);
      return { row: requestLogRow(record), request, response };
    });
    const source = this.source();
    await ensureLogPartitions(source, new Set(entries.map(({ row }) => dayOf(row.created_at))));
    await insertLogs(source.manager, entries);
  }
}
