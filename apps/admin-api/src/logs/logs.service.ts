import { findLog, listLogs, type LogOwner } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../auth/principal';
import { found, isUuid } from '../auth/tenancy';
import { encodeCursor } from './log-cursor';
import { logFilterOf } from './log-filter';
import type { LogDetailAnswer, LogPage } from './log-answers.dto';
import { logAnswer, logDetailAnswer } from './log.view';
import type { ListLogsQuery } from './logs.dto';

/** Whom a setting keeps to their own data sees the requests of their own keys alone. */
const ownerOf = ({ organisationId, workspaceId, closed, userId }: Principal): LogOwner => ({
  organisationId,
  workspaceId,
  userId: closed.has('ViewAllData') ? userId : null,
});

@Injectable()
export class LogsService {
  constructor(private readonly dataSource: DataSource) {}

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
    const log = isUuid(id) ? await findLog(this.dataSource.manager, ownerOf(caller), id) : null;
    return logDetailAnswer(found(log));
  }
}
