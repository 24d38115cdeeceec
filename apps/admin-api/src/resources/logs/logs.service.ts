import { FeedbackEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { findLog, listLogs, type LogFilter, type LogOwner } from '@gw/log-store';
import { invalid, isStorableText } from '@gw/web';
import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { found, isUuid } from '../../platform/auth/tenancy';
import { assertScope } from '../../platform/auth/scope-checks';
import { ownDataOnly } from '../../platform/auth/grants';
import { LogBodiesReader } from './log-bodies.reader';
import { encodeCursor } from '../../platform/logs/log-cursor';
import { logFilterOf } from '../../platform/logs/log-filter';
import type { LogDetailResponse, LogPage, LogTraceResponse } from '../../platform/logs/log-answers.dto';
import type { LogReader } from '../../platform/logs/log-reader';
import { LogSearch } from './log-search';
import { LogTail } from './log-tail';
import { logTree } from './log-tree';
import { logResponse, logDetailResponse } from './log.view';
import type { ListLogsQuery, TailLogsQuery } from '../../platform/logs/logs.dto';

const FEEDBACK_MAX = 100;
const TRACE_LOGS_MAX = 1_000;
/** Logs that pages by number reach: what comes before a page is read, too. */
const PAGED_LOGS_MAX = 10_000;

/** Callers restricted to their own data see only requests made with their own keys. */
const ownerOf = (caller: Principal): LogOwner => ({
  organisationId: caller.organisationId,
  workspaceId: caller.workspaceId,
  userId: ownDataOnly(caller),
});

/** Without `logs.view` a caller reads only the requests that it made itself. */
const readerOf = (caller: Principal): LogOwner => ({
  ...ownerOf(caller),
  ...(caller.scopes.has('logs.view')
    ? {}
    : { madeWith: { apiKeyId: caller.apiKeyId, userId: caller.userId } }),
});

@Injectable()
export class LogsService implements LogReader {
  constructor(
    private readonly dataSource: DataSource,
    private readonly bodies: LogBodiesReader,
    private readonly tails: LogTail,
    private readonly search: LogSearch,
  ) {}

  /** Newest first. `all` is the whole query as it came. */
  async list(
    caller: Principal,
    query: ListLogsQuery,
    all: Readonly<Record<string, unknown>>,
  ): Promise<LogPage> {
    const skipped = skippedBy(query);
    const filter = logFilterOf(ownerOf(caller), query, all);
    if (query.q !== undefined) return this.find(caller, filter, query.q, query.page_size);
    const end = skipped + query.page_size;
    const rows = await listLogs(this.dataSource.manager, filter, end + 1);
    const page = rows.slice(skipped, end);
    const last = rows.length > end ? page.at(-1) : undefined;
    return {
      object: 'list',
      data: page.map(logResponse),
      has_more: last !== undefined,
      next_cursor: last ? encodeCursor({ createdAt: last.created_at, id: last.id }) : null,
    };
  }

  /** A caller who can't read a body must not learn its content from a search. */
  private async find(caller: Principal, filter: LogFilter, text: string, limit: number): Promise<LogPage> {
    assertScope(caller, ['logs.view']);
    const { rows, next, logs, until } = await this.search.find(filter, text, limit);
    return {
      object: 'list',
      data: rows.map(logResponse),
      has_more: next !== null,
      next_cursor: next === null ? null : encodeCursor(next),
      searched: { logs, until: until?.toISOString() ?? null },
    };
  }

  /** Throws `not_found` for a log of another workspace or organisation too. */
  async get(caller: Principal, id: string): Promise<LogDetailResponse> {
    const log = found(isUuid(id) ? await findLog(this.dataSource.manager, readerOf(caller), id) : null);
    const { workspace_id: workspaceId, trace_id: traceId } = log;
    const feedback =
      workspaceId === null
        ? []
        : await this.dataSource.manager.find(FeedbackEntity, {
            where: { workspaceId, traceId },
            order: { createdAt: 'DESC', id: 'DESC' },
            take: FEEDBACK_MAX,
          });
    return logDetailResponse(log, await this.bodies.of(log), feedback);
  }

  /** Throws `not_found` for an unknown trace, or another tenant's. */
  async trace(caller: Principal, traceId: string): Promise<LogTraceResponse> {
    const query: ListLogsQuery = { current_page: 0, page_size: TRACE_LOGS_MAX, trace_id: [traceId] };
    const rows = isStorableText(traceId)
      ? await listLogs(this.dataSource.manager, logFilterOf(ownerOf(caller), query, {}), TRACE_LOGS_MAX + 1)
      : [];
    if (rows.length === 0) throw new GatewayError('not_found');
    const spans = logTree(rows.slice(0, TRACE_LOGS_MAX).map(logResponse));
    return { object: 'trace', trace_id: traceId, spans, truncated: rows.length > TRACE_LOGS_MAX };
  }

  /** `takeOver` gives the response, which is ours from then on. */
  tail(
    caller: Principal,
    query: TailLogsQuery,
    all: Readonly<Record<string, unknown>>,
    takeOver: () => ServerResponse,
  ): Promise<void> {
    if (query.q !== undefined) throw invalid('q', 'q looks through logs that are there: a tail has none');
    return this.tails.follow(caller, logFilterOf(ownerOf(caller), query, all), query.max_seconds, takeOver);
  }
}

/** Logs before the page. Throws `validation_failed` for a page by number where there is none. */
function skippedBy({ current_page: page, page_size: size, cursor, q }: ListLogsQuery): number {
  if (page === 0) return 0;
  if (cursor !== undefined)
    throw invalid('current_page', 'current_page and cursor are mutually exclusive; send one of them');
  if (q !== undefined)
    throw invalid(
      'current_page',
      'current_page goes with no search; send q with the next_cursor of the page before',
    );
  if ((page + 1) * size > PAGED_LOGS_MAX) {
    const rule = `current_page reaches the newest ${String(PAGED_LOGS_MAX)} logs`;
    throw invalid('current_page', `${rule}; go on with next_cursor, or narrow time_of_generation_max`);
  }
  return page * size;
}
