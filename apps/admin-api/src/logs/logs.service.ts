import { findLog, listLogs, type LogOwner } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../auth/principal';
import { found, isUuid } from '../auth/tenancy';
import { encodeCursor } from './log-cursor';
import { logFilterOf } from './log-filter';
import { logAnswer, logDetailAnswer, type LogAnswer, type LogDetailAnswer } from './log.view';
import type { ListLogsQuery } from './logs.dto';

/** A page of logs. There is no total: counting tens of millions of rows would cost more than the page. */
export interface LogPage {
  readonly object: 'list';
  readonly data: readonly LogAnswer[];
  readonly has_more: boolean;
  /** For the next page; null on the last one. */
  readonly next_cursor: string | null;
}

const PAGE_SIZE = 50;

const ownerOf = ({ organisationId, workspaceId }: Principal): LogOwner => ({ organisationId, workspaceId });

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
    const pageSize = query.page_size ?? PAGE_SIZE;
    const rows = await listLogs(this.dataSource.manager, filter, pageSize + 1);
    const page = rows.slice(0, pageSize);
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
