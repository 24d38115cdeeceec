import { FeedbackEntity } from '@gw/entities';
import { GatewayError, isStorableText } from '@gw/kernel';
import {
  findLog,
  listLogs,
  type LogBodies,
  type LogFilter,
  type LogOwner,
  type LogViewer,
  type StoredRequestLogDetail,
} from '@gw/log-store';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { found, isUuid } from '../../platform/auth/tenancy';
import { assertScope } from '../../platform/auth/scope-checks';
import { ownDataOnly } from '../../platform/auth/grants';
import { LogBodiesReader } from './log-bodies.reader';
import { encodeCursor } from '../../platform/logs/log-cursor';
import { logFilterOf } from '../../platform/logs/log-filter';
import type { LogDetailResponse, LogPage, LogTraceResponse } from '../../platform/logs/log-responses.dto';
import type { LogReader } from '../../platform/logs/log-reader';
import { LogSearch } from './log-search';
import { LogTail, type Tail } from './log-tail';
import { logTree } from './log-tree';
import { logResponse, logDetailResponse } from './log.view';
import type { ListLogsQuery, TailLogsQuery } from '../../platform/logs/logs.dto';

const FEEDBACK_MAX = 100;
const TRACE_LOGS_MAX = 1_000;
/**
 * Maximum number of logs that page numbers can reach, because all logs before a page are read too.
 */
const PAGED_LOGS_MAX = 10_000;
const NO_BODIES: LogBodies = { request: null, response: null };
const UNKNOWN_TYPE = 'application/octet-stream';

export interface BodyOfLog {
  readonly id: string;
  readonly part: keyof LogBodies;
}

interface StoredBody {
  readonly bytes: Buffer;
  /** Content type as the client or the provider stated it; not verified. */
  readonly contentType: string;
}

/**
 * Returns the owner of the logs that a caller may list. Callers restricted to their own data see
 * only requests made with their own keys.
 */
const ownerOf = (caller: Principal): LogOwner => ({
  organisationId: caller.organisationId,
  workspaceId: caller.workspaceId,
  userId: ownDataOnly(caller),
});

/**
 * Returns the viewer of single logs. Without `logs.view` a caller can read only the logs of its own
 * requests.
 */
const viewerOf = (caller: Principal): LogViewer => ({
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

  /** Lists logs, newest first. `all` is the whole unvalidated query. */
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

  /** Searches logs. Requires `logs.view`, since a search reveals the content of bodies. */
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

  /**
   * Returns one log. With `bodies` false, the bodies are not read and are null in the response,
   * with their type and size. Throws `not_found` for an unknown log and for a log of another
   * workspace or organisation.
   */
  async get(caller: Principal, id: string, { bodies = true } = {}): Promise<LogDetailResponse> {
    const log = await this.one(caller, id, bodies);
    const { workspace_id: workspaceId, trace_id: traceId } = log;
    const feedback =
      workspaceId === null
        ? []
        : await this.dataSource.manager.find(FeedbackEntity, {
            where: { workspaceId, traceId },
            order: { createdAt: 'DESC', id: 'DESC' },
            take: FEEDBACK_MAX,
          });
    return logDetailResponse(log, bodies ? await this.bodies.of(log) : NO_BODIES, feedback);
  }

  /**
   * Returns the stored bytes of one body. Throws `not_found` as `get` does, and for a log without
   * this body.
   */
  async body(caller: Principal, { id, part }: BodyOfLog): Promise<StoredBody> {
    const log = await this.one(caller, id, true);
    const { [part]: bytes } = await this.bodies.of(log);
    if (bytes === null)
      throw new GatewayError('not_found', { message: `No ${part} body is stored for this log.` });
    return { bytes, contentType: log[`${part}_content_type`] ?? UNKNOWN_TYPE };
  }

  private async one(caller: Principal, id: string, bodies: boolean): Promise<StoredRequestLogDetail> {
    const { manager } = this.dataSource;
    return found(isUuid(id) ? await findLog(manager, viewerOf(caller), id, { bodies }) : null);
  }

  /**
   * Returns the logs of a trace. Throws `not_found` for an unknown trace and for one of another
   * tenant.
   */
  async trace(caller: Principal, traceId: string): Promise<LogTraceResponse> {
    const query: ListLogsQuery = { current_page: 0, page_size: TRACE_LOGS_MAX, trace_id: [traceId] };
    const rows = isStorableText(traceId)
      ? await listLogs(this.dataSource.manager, logFilterOf(ownerOf(caller), query, {}), TRACE_LOGS_MAX + 1)
      : [];
    if (rows.length === 0) throw new GatewayError('not_found');
    const spans = logTree(rows.slice(0, TRACE_LOGS_MAX).map(logResponse));
    return { object: 'trace', trace_id: traceId, spans, truncated: rows.length > TRACE_LOGS_MAX };
  }

  /** Streams new logs. `connection` contains the other members of a tail. */
  tail(
    caller: Principal,
    query: TailLogsQuery,
    all: Readonly<Record<string, unknown>>,
    connection: Pick<Tail, 'mayContinue' | 'takeOver'>,
  ): Promise<void> {
    if (query.q !== undefined) throw invalid('q', 'q searches stored logs and is not available for a tail');
    const filter = logFilterOf(ownerOf(caller), query, all);
    return this.tails.follow({ caller, filter, seconds: query.max_seconds, ...connection });
  }
}

/**
 * Returns the number of logs before the page. Throws `validation_failed` when page numbers cannot
 * be used.
 */
function skippedBy({ current_page: page, page_size: size, cursor, q }: ListLogsQuery): number {
  if (page === 0) return 0;
  if (cursor !== undefined)
    throw invalid('current_page', 'current_page and cursor are mutually exclusive; send one of them');
  if (q !== undefined)
    throw invalid(
      'current_page',
      'current_page is not available with q; send q with the next_cursor of the previous page',
    );
  if ((page + 1) * size > PAGED_LOGS_MAX) {
    const rule = `current_page only reaches the newest ${String(PAGED_LOGS_MAX)} logs`;
    throw invalid('current_page', `${rule}; use next_cursor, or narrow time_of_generation_max`);
  }
  return page * size;
}
