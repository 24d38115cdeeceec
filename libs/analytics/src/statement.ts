import {
  PERCENTILES,
  VALUE_FILTERS,
  type AnalyticsQueryCase,
  type AnalyticsRow,
  type GroupKey,
  type Measure,
  type Percentile,
} from './analytics-query';
import { latencyOfBucket } from './latency-scale';
import { RESULT_SQL } from './result-sql';

/** Adds a value to the statement's parameters and returns its placeholder. */
export type Bind = (value: unknown, type: BoundType) => string;
export type BoundType = 'text' | 'texts' | 'uuid' | 'uuids' | 'number' | 'numbers' | 'floats' | 'json';

/**
 * SQL fragments that differ between the two stores. The columns of facts have the same names in
 * both.
 */
export interface SqlDialect {
  /** Converts an expression to text; null becomes the empty text. */
  text(expression: string): string;
  metadataText(name: string): string;
  hasMetadata(name: string): string;
  anyOf(column: string, type: 'text' | 'uuid' | 'number', bound: string): string;
  metadataMatches(metadata: Readonly<Record<string, string>>, bind: Bind): string;
  /** Number of the time bucket of a fact. */
  bucketNumber(size: string, offset: string): string;
  /** Converts an expression to a double. */
  float(expression: string): string;
  readonly distinctUsers: string;
  /**
   * Returns a `FROM` clause that joins facts with their histograms, as `latency_bucket` and
   * `latency_count`. The `keys` are computed once for each fact.
   */
  histogram(keys: readonly string[]): string;
}

const HITS = `cache_status IN ('HIT', 'SEMANTIC HIT')`;
const MISSES = `cache_status IN ('MISS', 'SEMANTIC MISS', 'REFRESH')`;
const sum = (column: string, condition?: string): string =>
  `coalesce(sum(${column})${condition === undefined ? '' : ` FILTER (WHERE ${condition})`}, 0)`;

/** Numerators of means over all requests of a group. */
const MEANS = {
  avg_cost: sum('cost'),
  avg_tokens: sum('total_tokens'),
  avg_input_tokens: sum('input_tokens'),
  avg_output_tokens: sum('output_tokens'),
  avg_duration: sum('duration_us'),
  success_rate: sum('requests', RESULT_SQL.success),
  hit_rate: sum('requests', HITS),
} as const satisfies Partial<Record<Measure, string>>;

type Mean = keyof typeof MEANS;

const isMean = (measure: Measure): measure is Mean => measure in MEANS;

const EXPRESSIONS: Readonly<Record<Exclude<Measure, Percentile | Mean | 'users' | 'user_requests'>, string>> =
  {
    requests: sum('requests'),
    errors: sum('requests', RESULT_SQL.error),
    successes: sum('requests', RESULT_SQL.success),
    cost: sum('cost'),
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    total_tokens: sum('total_tokens'),
    duration: sum('duration_us'),
    simple_hits: sum('requests', `cache_status = 'HIT'`),
    semantic_hits: sum('requests', `cache_status = 'SEMANTIC HIT'`),
    simple_savings: sum('saved_cost', `cache_status = 'HIT'`),
    semantic_savings: sum('saved_cost', `cache_status = 'SEMANTIC HIT'`),
    hit_duration: sum('duration_us', HITS),
    misses: sum('requests', MISSES),
    miss_duration: sum('duration_us', MISSES),
    retried: sum('requests', `retries > 0 AND NOT ${RESULT_SQL.error}`),
    fell_back: sum('requests', `fell_back AND NOT ${RESULT_SQL.error}`),
    llm: sum('requests', `request_type = 'llm'`),
    mcp: sum('requests', `request_type = 'mcp'`),
    a2a: sum('requests', `request_type = 'a2a'`),
    first_seen: 'min(first_ms)',
    last_seen: 'max(last_ms)',
  };

const isPercentile = (measure: Measure): measure is Percentile => measure in PERCENTILES;

const expressionOf = (measure: Exclude<Measure, Percentile>, dialect: SqlDialect): string => {
  if (measure === 'users') return dialect.distinctUsers;
  if (isMean(measure)) return `${dialect.float(MEANS[measure])} / ${dialect.float('sum(requests)')}`;
  if (measure === 'user_requests') return sum('requests', dialect.hasMetadata(`'_user'`));
  return EXPRESSIONS[measure];
};

/**
 * Returns the conditions of the filter, the group keys and the measures. The store adds conditions
 * on owner and time.
 */
export function filterConditions(
  query: Pick<AnalyticsQueryCase, 'filter' | 'by' | 'measures'>,
  dialect: SqlDialect,
  bind: Bind,
): string[] {
  const { filter } = query;
  const conditions: string[] = [];
  for (const column of VALUE_FILTERS) {
    const values = filter.values[column];
    if (!values) continue;
    const type = column === 'api_key_id' ? 'uuid' : 'text';
    conditions.push(dialect.anyOf(column, type, bind(values, type === 'uuid' ? 'uuids' : 'texts')));
  }
  conditions.push(...outcomeConditions(filter, dialect, bind));
  if (filter.models.length > 0) {
    const models = filter.models.map(
      ({ provider, model }) => `(provider = ${bind(provider, 'text')} AND model = ${bind(model, 'text')})`,
    );
    conditions.push(`(${models.join(' OR ')})`);
  }
  if (Object.keys(filter.metadata).length > 0)
    conditions.push(dialect.metadataMatches(filter.metadata, bind));
  for (const key of query.by) {
    if (typeof key !== 'string') conditions.push(dialect.hasMetadata(bind(key.metadata, 'text')));
  }
  // Rollups of users omit requests without a user, so every store excludes them.
  if (countsUsers(query)) conditions.push(dialect.hasMetadata(`'_user'`));
  return [...conditions, ...singleConditions(query, dialect, bind)];
}

function outcomeConditions(
  { statuses, isSuccess }: AnalyticsQueryCase['filter'],
  dialect: SqlDialect,
  bind: Bind,
): string[] {
  const conditions: string[] = [];
  if (statuses.length > 0) conditions.push(dialect.anyOf('status', 'number', bind(statuses, 'numbers')));
  if (isSuccess !== undefined) conditions.push(`${isSuccess ? '' : 'NOT '}${RESULT_SQL.success}`);
  return conditions;
}

/** Returns conditions on facts that only single requests have. */
function singleConditions(
  { filter }: Pick<AnalyticsQueryCase, 'filter'>,
  dialect: SqlDialect,
  bind: Bind,
): string[] {
  const conditions: string[] = [];
  if (filter.traceIds.length > 0)
    conditions.push(dialect.anyOf('trace_id', 'text', bind(filter.traceIds, 'texts')));
  if (filter.spanIds.length > 0)
    conditions.push(dialect.anyOf('span_id', 'text', bind(filter.spanIds, 'texts')));
  for (const [column, { min, max }] of Object.entries(filter.ranges)) {
    if (min !== undefined) conditions.push(`${column} >= ${bind(min, 'number')}`);
    if (max !== undefined) conditions.push(`${column} <= ${bind(max, 'number')}`);
  }
  return conditions;
}

/** Returns whether a query needs single requests instead of rollups. */
export const needsSingleRequests = ({ filter }: AnalyticsQueryCase): boolean =>
  filter.traceIds.length > 0 || filter.spanIds.length > 0 || Object.keys(filter.ranges).length > 0;

/** Returns whether a query needs the metadata of requests. */
export const needsMetadata = ({ filter, by, measures }: AnalyticsQueryCase): boolean =>
  Object.keys(filter.metadata).length > 0 ||
  by.some((key) => typeof key !== 'string') ||
  countsUsers({ measures });

const keyExpression = (key: GroupKey, dialect: SqlDialect, bind: Bind): string =>
  typeof key === 'string' ? dialect.text(key) : dialect.metadataText(bind(key.metadata, 'text'));

/**
 * Returns a statement for the rows of a query. `facts` is a subquery whose rows each represent one
 * request or several equal ones.
 */
export function rowsStatement(
  query: AnalyticsQueryCase,
  facts: string,
  dialect: SqlDialect,
  bind: Bind,
): string {
  const { names, selected } = keysOf(query, dialect, bind);
  const measures = new Set<Measure>(query.measures);
  if (query.order) measures.add(query.order.by);
  const percentiles = [...measures].filter(isPercentile);
  const plain = [...measures].filter((measure) => !isPercentile(measure));
  const sums = plain.map((measure) => `${expressionOf(measure, dialect)} AS m_${measure}`);
  const groupBy = names.length === 0 ? '' : `GROUP BY ${names.join(', ')}`;
  const parts = [
    `facts AS (${facts})`,
    `totals AS (SELECT ${[...selected, ...sums, 'sum(requests) AS counted'].join(', ')} FROM facts ${groupBy}
       HAVING sum(requests) > 0)`,
    ...(percentiles.length === 0 ? [] : percentileParts(names, selected, percentiles, dialect)),
  ];
  const using = names.length === 0 ? 'ON TRUE' : `USING (${names.join(', ')})`;
  const join = percentiles.length === 0 ? '' : `LEFT JOIN percentiles ${using}`;
  const columns = [
    ...names,
    ...plain.map((measure) => `m_${measure}`),
    ...percentiles.map((percentile) => `m_${percentile}`),
  ];
  return `WITH ${parts.join(', ')} SELECT ${columns.join(', ')} FROM totals ${join}
    ${orderOf(query, names)} LIMIT ${bind(query.limit, 'number')} OFFSET ${bind(query.offset ?? 0, 'number')}`;
}

/** Returns a statement that counts the groups of a query. */
export function countStatement(
  query: AnalyticsQueryCase,
  facts: string,
  dialect: SqlDialect,
  bind: Bind,
): string {
  const { names, selected } = keysOf(query, dialect, bind);
  const groupBy = names.length === 0 ? '' : `GROUP BY ${names.join(', ')}`;
  return `WITH facts AS (${facts})
    SELECT count(*) AS total FROM (SELECT ${[...selected, 'sum(requests) AS counted'].join(', ')} FROM facts ${groupBy}
      HAVING sum(requests) > 0) AS found`;
}

function keysOf(
  query: AnalyticsQueryCase,
  dialect: SqlDialect,
  bind: Bind,
): { names: string[]; selected: string[] } {
  const names = query.by.map((_, i) => `k${String(i)}`);
  const selected = query.by.map((key, i) => `${keyExpression(key, dialect, bind)} AS k${String(i)}`);
  const { bucket } = query;
  if (bucket !== null) {
    names.unshift('t');
    const number = dialect.bucketNumber(bind(bucket.sizeMs, 'number'), bind(bucket.offsetMs, 'number'));
    selected.unshift(`${number} AS t`);
  }
  return { names, selected };
}

/**
 * Returns common table expressions that compute, for each percentile, the lowest histogram bucket
 * up to which that part of the requests lies.
 */
function percentileParts(
  names: readonly string[],
  selected: readonly string[],
  percentiles: readonly Percentile[],
  dialect: SqlDialect,
): string[] {
  const keys = names.length === 0 ? '' : `${names.join(', ')}, `;
  const partition = names.length === 0 ? '' : `PARTITION BY ${names.join(', ')}`;
  const groupBy = names.length === 0 ? '' : `GROUP BY ${names.join(', ')}`;
  const found = percentiles.map(
    (name) =>
      `min(latency_bucket) FILTER (WHERE below * 100 >= ${String(PERCENTILES[name])} * whole AND latency_count > 0) AS m_${name}`,
  );
  return [
    `histogram AS (SELECT ${keys}latency_bucket, sum(latency_count) AS latency_count
       FROM ${dialect.histogram(selected)} GROUP BY ${keys}latency_bucket)`,
    `ranks AS (SELECT ${keys}latency_bucket, latency_count,
       sum(latency_count) OVER (${partition} ORDER BY latency_bucket) AS below,
       sum(latency_count) OVER (${partition}) AS whole FROM histogram)`,
    `percentiles AS (SELECT ${[...names, ...found].join(', ')} FROM ranks ${groupBy})`,
  ];
}

function orderOf(query: AnalyticsQueryCase, names: readonly string[]): string {
  const first = query.order ? [`m_${query.order.by} ${query.order.descending ? 'DESC' : 'ASC'}`] : [];
  const all = [...first, ...names];
  return all.length === 0 ? '' : `ORDER BY ${all.join(', ')}`;
}

/** Converts a row of `rowsStatement` into the response of a store. Numbers may be texts. */
export function analyticsRow(
  query: AnalyticsQueryCase,
  found: Readonly<Record<string, unknown>>,
): AnalyticsRow {
  const { bucket } = query;
  const values = Object.fromEntries(
    query.measures.map((measure) => {
      const value = Number(found[`m_${measure}`] ?? 0);
      return [measure, isPercentile(measure) ? latencyOfBucket(value) : value];
    }),
  ) as Record<Measure, number>;
  return {
    at: bucket === null ? null : Number(found['t']) * bucket.sizeMs - bucket.offsetMs,
    keys: query.by.map((_, i) => String(found[`k${String(i)}`])),
    values,
  };
}

/** Returns whether a query counts users; groups without users are omitted then. */
const countsUsers = ({ measures }: Pick<AnalyticsQueryCase, 'measures'>): boolean =>
  measures.includes('users') || measures.includes('user_requests');
