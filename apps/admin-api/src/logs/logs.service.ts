import { FeedbackEntity, findLog, listLogs, type LogOwner } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { isStorableText } from '@gw/web';
import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { DataSource } from 'typeorm';
import type { Principal } from '../auth/principal';
import { found, isUuid } from '../auth/tenancy';
import { LogBodiesReader } from './log-bodies.reader';
import { encodeCursor } from './log-cursor';
import { logFilterOf } from './log-filter';
import type { LogDetailAnswer, LogPage, LogTraceAnswer } from './log-answers.dto';
import { LogTail } from './log-tail';
import { logTree } from './log-tree';
import { logAnswer, logDetailAnswer } from './log.view';
import type { ListLogsQuery, TailLogsQuery } from './logs.dto';

const FEEDBACK_MAX = 100;
const TRACE_LOGS_MAX = 1_000;

/** Whom a setting keeps to their own data sees the requests of their own keys alone. */
const ownerOf = ({ organisationId, workspaceId, closed, userId }: Principal): LogOwner => ({
  organisationId,
  workspaceId,
  userId: closed.has('ViewAllData') ? userId : null,
});

@Injectable()
export class LogsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly bodies: LogBodiesReader,
    private readonly tails: LogTail,
  ) {}

  /** Newest first. `all` is the whole query as it came. */
  async list(
    caller: Principal,
    query: ListLogsQuery,
    all: Readonly<Record<string, unknown>>,
  ): Promise<LogPage> {
    const filter = logFilterOf(ownerOf(caller), query, all);
    const rows = await listLogs(this.dataSource.manager, filter, query.page_size + 1);
    const page = rows.slice(0, query.page_size);
    const last = rows.length > page.length ? page.at(-1) : undefined;
    return {
      object: 'list',
      data: page.map(logAnswer),
      has_more: last !== undefined,
      next_cursor: last ? encodeCursor({ createdAt: last.created_at, id: last.id }) : null,
    };
  }

  /** Throws `not_found` for a log of another workspace or organisation too. */
  async get(caller: Principal, id: string): Promise<LogDetailAnswer> {
    const log = found(isUuid(id) ? await findLog(this.dataSource.manager, ownerOf(caller), id) : null);
    const { workspace_id: workspaceId, trace_id: traceId } = log;
    const feedback =
      workspaceId === null
        ? []
        : await this.dataSource.manager.find(FeedbackEntity, {
            where: { workspaceId, traceId },
            order: { createdAt: 'DESC', id: 'DESC' },
            take: FEEDBACK_MAX,
          });
    return logDetailAnswer(log, await this.bodies.of(log), feedback);
  }

  /** Throws `not_found` for a trace that nobody, or another tenant, has. */
  async trace(caller: Principal, traceId: string): Promise<LogTraceAnswer> {
    const query: ListLogsQuery = { page_size: TRACE_LOGS_MAX, trace_id: [traceId] };
    const rows = isStorableText(traceId)
      ? await listLogs(this.dataSource.manager, logFilterOf(ownerOf(caller), query, {}), TRACE_LOGS_MAX + 1)
      : [];
    if (rows.length === 0) throw new GatewayError('not_found');
    const spans = logTree(rows.slice(0, TRACE_LOGS_MAX).map(logAnswer));
    return { object: 'trace', trace_id: traceId, spans, truncated: rows.length > TRACE_LOGS_MAX };
  }

  /** `takeOver` gives the response, which is ours from then on. */
  tail(
    caller: Principal,
    query: TailLogsQuery,
    all: Readonly<Record<string, unknown>>,
    takeOver: () => ServerResponse,
  ): Promise<void> {
    return this.tails.follow(logFilterOf(ownerOf(caller), query, all), query.max_seconds, takeOver);
  }
}
