import {
  analyticsRow,
  needsMetadata,
  needsSingleRequests,
  countStatement,
  DIMENSIONS,
  filterConditions,
  LATENCY_BOUNDS,
  rowsStatement,
  type AnalyticsQueryCase,
  type AnalyticsRow,
  type AnalyticsStore,
  type Bind,
  type Measure,
} from '@gw/analytics';
import type { DataSource } from 'typeorm';
import { binder, POSTGRES } from './postgres-dialect';
import { rollupsBuiltUntil } from './rollup-builder.queries';
import { OVERVIEW_DIMENSIONS } from './rollup-tables';
import { sourcesOf, type Source } from './sources';

/** Columns that are the same in rollups and in the log. */
const SHARED = [...DIMENSIONS, 'outcome', 'fell_back'] as const;

const MILLISECONDS = (column: string): string => `(extract(epoch FROM ${column}) * 1000)`;

/**
 * Answers analytics queries from rollups and from requests that are not merged into them yet. It
 * reads the log itself for what rollups cannot tell: single requests, minutes, the partial quarters
 * of an hour at both ends, and times beyond the retention of rollups.
 */
export class PostgresAnalytics implements AnalyticsStore {
  constructor(private readonly source: DataSource) {}

  async rows(query: AnalyticsQueryCase): Promise<AnalyticsRow[]> {
    const found = await this.run(query, rowsStatement);
    return found.map((row) => analyticsRow(query, row));
  }

  async count(query: AnalyticsQueryCase): Promise<number> {
    const [found] = await this.run(query, countStatement);
    return Number(found?.['total'] ?? 0);
  }

  private async run(
    query: AnalyticsQueryCase,
    statement: typeof rowsStatement,
  ): Promise<Record<string, unknown>[]> {
    const parameters: unknown[] = [];
    const bind = binder(parameters);
    const withMetadata = needsMetadata(query);
    const conditions = [...ownerConditions(query, bind), ...filterConditions(query, POSTGRES, bind)];
    const table = withMetadata ? tableOfMetadata(query) : tableOf(query);
    // This read and the query below see different snapshots. If a coarser row is built in between,
    // the query still reads the finer rows, which hold the same sums.
    const built = await rollupsBuiltUntil(this.source);
    const sources = sourcesOf(query, needsSingleRequests(query), { now: Date.now(), built });
    const facts = [
      ...sources.map((source) => factsOf(source, table, conditions, bind)),
      ...pendingOf(sources, table, conditions, bind),
    ].join(' UNION ALL ');
    return this.source.query(statement(query, facts, POSTGRES, bind), parameters);
  }
}

function ownerConditions({ scope }: AnalyticsQueryCase, bind: Bind): string[] {
  const conditions = [`organisation_id = ${bind(scope.organisationId, 'uuid')}`];
  if (scope.workspaceId !== null) conditions.push(`workspace_id = ${bind(scope.workspaceId, 'uuid')}`);
  if (scope.userId !== null) conditions.push(`user_id = ${bind(scope.userId, 'text')}`);
  return conditions;
}

const USER_MEASURES: ReadonlySet<string> = new Set(['users', 'user_requests'] satisfies Measure[]);
const OVERVIEW: ReadonlySet<string> = new Set(OVERVIEW_DIMENSIONS);

/** Returns the smallest table whose dimensions cover the query. */
const tableOf = ({ scope, by, filter }: AnalyticsQueryCase): Table =>
  scope.userId === null &&
  [...by, ...Object.keys(filter.values)].every((name) => typeof name === 'string' && OVERVIEW.has(name))
    ? 'usage_overviews'
    : 'usage_rollups';

const tableOfMetadata = ({ scope, by, filter, measures }: AnalyticsQueryCase): Table =>
  scope.userId === null &&
  measures.every((measure) => USER_MEASURES.has(measure)) &&
  by.every((key) => key === 'workspace_id') &&
  [filter.values, filter.metadata].every((values) => Object.keys(values).length === 0) &&
  filter.statuses.length === 0 &&
  filter.isSuccess === undefined &&
  filter.models.length === 0
    ? 'usage_users'
    : 'usage_metadata_rollups';

type Table = 'usage_overviews' | 'usage_rollups' | 'usage_users' | 'usage_metadata_rollups';

const TABLES_WITH_METADATA: ReadonlySet<Table> = new Set(['usage_users', 'usage_metadata_rollups']);

const columnsOf = (table: Table): string =>
  [...SHARED, ...(TABLES_WITH_METADATA.has(table) ? ['metadata'] : [])].join(', ');

const within = (column: string, { from, end }: Pick<Source, 'from' | 'end'>, bind: Bind): string => {
  const time = (ms: number): string => `to_timestamp(${bind(ms, 'number')}::double precision / 1000)`;
  return `${column} >= ${time(from)} AND ${column} < ${time(end)}`;
};

function factsOf(source: Source, table: Table, conditions: readonly string[], bind: Bind): string {
  const shared = columnsOf(table);
  if (source.grain === null) {
    return `SELECT ${shared}, 1 AS requests, cost, saved_cost, input_tokens, output_tokens, total_tokens,
        round(duration_ms::numeric * 1000) AS duration_us,
        ${MILLISECONDS('created_at')} AS first_ms, ${MILLISECONDS('created_at')} AS last_ms,
        ARRAY[width_bucket(duration_ms, ${bounds(bind)})]::smallint[] AS latency_buckets, '{1}'::integer[] AS latency_counts
      FROM request_logs
      WHERE ${[within('created_at', source, bind), ...conditions].join(' AND ')}`;
  }
  return `SELECT ${shared}, requests, cost, saved_cost, input_tokens, output_tokens, total_tokens, duration_us,
      ${MILLISECONDS('first_at')} AS first_ms, ${MILLISECONDS('last_at')} AS last_ms, latency_buckets, latency_counts
    FROM ${table}
    WHERE grain = ${String(source.grain)} AND ${[within('at', source, bind), ...conditions].join(' AND ')}`;
}

/**
 * Returns a subquery on the requests that are not merged yet, for the whole range that rollups
 * cover; none if the range is empty.
 */
function pendingOf(
  sources: readonly Source[],
  table: Table,
  conditions: readonly string[],
  bind: Bind,
): string[] {
  const ranges = mergedRanges(sources).map((range) => `(${within('created_at', range, bind)})`);
  if (ranges.length === 0) return [];
  return [
    `SELECT ${columnsOf(table)}, sign, sign * cost, sign * saved_cost, sign * input_tokens, sign * output_tokens, sign * total_tokens,
      sign * round(duration_ms::numeric * 1000), ${MILLISECONDS('created_at')}, ${MILLISECONDS('created_at')},
      ARRAY[width_bucket(duration_ms, ${bounds(bind)})]::smallint[], ARRAY[sign]::integer[]
    FROM usage_pending
    WHERE ${[`(${ranges.join(' OR ')})`, ...conditions].join(' AND ')}`,
  ];
}

/** Joins adjacent ranges that rollups cover. */
function mergedRanges(sources: readonly Source[]): { from: number; end: number }[] {
  const ranges: { from: number; end: number }[] = [];
  const merged = sources.filter(({ grain }) => grain !== null).sort((one, other) => one.from - other.from);
  for (const { from, end } of merged) {
    const last = ranges.at(-1);
    if (last?.end === from) last.end = end;
    else ranges.push({ from, end });
  }
  return ranges;
}

const bounds = (bind: Bind): string => `${bind(LATENCY_BOUNDS, 'floats')}`;
