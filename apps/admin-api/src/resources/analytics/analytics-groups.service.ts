import type { AnalyticsQueryCase, AnalyticsRow, AnalyticsStore, GroupKey } from '@gw/analytics';
import { GatewayError, isStorableText } from '@gw/kernel';
import { feedbackByMetadata } from '@gw/log-store';
import { invalid, windowOf, type PageQuery } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Principal } from '../../platform/common/principal';
import { AnalyticsScopes } from './analytics-scopes.service';
import { ANALYTICS_STORE } from '../../platform/logs/stores';
import { GROUP_BY, type AnalyticsGroupByQuery, type AnalyticsGroupsQuery } from './analytics.dto';
import { askOf, type AskParts } from './asks';
import { COLUMNS } from './columns';
import { toCents, toIso } from './figures';

export interface GroupsResponse {
  readonly object: 'list';
  readonly total?: number;
  readonly data: readonly object[];
}

const METADATA_NAME_MAX = 256;
const DEFAULT_COLUMNS = ['requests'] as const;

/** Sort order: most requests first. */
const BY_REQUESTS = { by: 'requests', descending: true } as const;

@Injectable()
export class AnalyticsGroupsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly scopes: AnalyticsScopes,
    @Inject(ANALYTICS_STORE) private readonly store: AnalyticsStore,
  ) {}

  /** Groups requests by the metadata value `_user`. */
  async users(caller: Principal, query: AnalyticsGroupsQuery): Promise<GroupsResponse> {
    const parts = await this.scopes.partsOf(caller, query);
    const ask = paged(parts, ['requests', 'cost'], [{ metadata: '_user' }], query);
    return this.list(ask, ({ keys: [user], values }) => ({
      user,
      requests: values.requests,
      cost: toCents(values.cost),
    }));
  }

  async models(caller: Principal, query: AnalyticsGroupsQuery): Promise<GroupsResponse> {
    const ask = paged(await this.scopes.partsOf(caller, query), ['requests'], ['model'], query);
    return this.list(ask, ({ keys: [model], values }) => ({
      ai_model: model === '' ? null : model,
      requests: values.requests,
    }));
  }

  async metadata(caller: Principal, query: AnalyticsGroupsQuery, name: string): Promise<GroupsResponse> {
    const parts = await this.scopes.partsOf(caller, query);
    const measures = ['requests', 'cost', 'avg_tokens', 'last_seen'] as const;
    const ask = paged(parts, measures, [{ metadata: metadataName(name) }], query);
    const [rows, total] = await Promise.all([this.store.rows(ask), this.store.count(ask)]);
    const { scope, period, filter } = parts;
    const feedback = await feedbackByMetadata(
      this.dataSource.manager,
      { scope, from: period.from, to: period.to, filter },
      name,
      rows.map(({ keys: [value] }) => value ?? ''),
    );
    const byValue = new Map(feedback.map((group) => [group.key, group]));
    const data = rows.map(({ keys: [value = ''], values }) => ({
      object: 'analytics-group',
      metadata_value: value,
      requests: values.requests,
      cost: toCents(values.cost),
      avg_tokens: values.avg_tokens,
      avg_weighted_feedback: byValue.get(value)?.weighted ?? 0,
      requests_with_feedback: byValue.get(value)?.total ?? 0,
      last_seen: toIso(values.last_seen),
    }));
    return { object: 'list', total, data };
  }

  async metadataValues(
    caller: Principal,
    query: AnalyticsGroupsQuery,
    name: string,
  ): Promise<GroupsResponse> {
    const parts = await this.scopes.partsOf(caller, query);
    const ask = paged(parts, ['requests'], [{ metadata: metadataName(name) }], query);
    const [rows, total] = await Promise.all([this.store.rows(ask), this.store.count(ask)]);
    return { object: 'list', total, data: rows.map(({ keys: [value] }) => ({ value })) };
  }

  /**
   * Groups requests by a dimension. Throws `not_found` for an unknown grouping, and
   * `validation_failed` when `order_by` is not a requested column.
   */
  async by(caller: Principal, query: AnalyticsGroupByQuery, groupBy: string): Promise<GroupsResponse> {
    if (!Object.hasOwn(GROUP_BY, groupBy)) throw new GatewayError('not_found');
    const dimension = GROUP_BY[groupBy as keyof typeof GROUP_BY];
    const columns = [...new Set(query.columns ?? DEFAULT_COLUMNS)];
    const orderBy = query.order_by ?? columns[0] ?? 'requests';
    if (!columns.includes(orderBy)) {
      throw invalid('order_by', `order_by must be one of the columns: ${columns.join(', ')}`);
    }
    const parts = await this.scopes.partsOf(caller, query, groupBy === 'workspace');
    const measures = columns.map((name) => COLUMNS[name].measure);
    const order = { by: COLUMNS[orderBy].measure, descending: query.order_by_type !== 'asc' };
    const ask = { ...paged(parts, measures, [dimension], query), order };
    const row = ({ keys: [key], values }: AnalyticsRow): object => ({
      group_key: key === '' ? null : key,
      ...Object.fromEntries(columns.map((name) => [name, COLUMNS[name].of(values[COLUMNS[name].measure])])),
    });
    return this.list(ask, row, query.include_total !== false);
  }

  private async list(
    ask: AnalyticsQueryCase,
    row: (found: AnalyticsRow) => object,
    withTotal = true,
  ): Promise<GroupsResponse> {
    const [rows, total] = await Promise.all([
      this.store.rows(ask),
      withTotal ? this.store.count(ask) : Promise.resolve(undefined),
    ]);
    const data = rows.map((found) => ({ object: 'analytics-group', ...row(found) }));
    return { object: 'list', ...(total === undefined ? {} : { total }), data };
  }
}

function paged(
  parts: AskParts,
  measures: AnalyticsQueryCase['measures'],
  by: readonly GroupKey[],
  page: PageQuery,
): AnalyticsQueryCase {
  const { skip, take } = windowOf(page);
  return askOf(parts, measures, by, { order: BY_REQUESTS, limit: take, offset: skip });
}

/** Returns the name. Throws `not_found` for a name that no request metadata can have. */
function metadataName(name: string): string {
  if (name.length > METADATA_NAME_MAX || !isStorableText(name)) throw new GatewayError('not_found');
  return name;
}
