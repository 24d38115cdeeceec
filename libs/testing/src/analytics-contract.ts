import {
  latencyBucket,
  latencyOfBucket,
  MEASURES,
  type AnalyticsQueryCase,
  type AnalyticsRow,
  type AnalyticsStore,
  type GroupKey,
  type Measure,
  type NumberRange,
} from '@gw/analytics';
import { isSuccess, resultOf, type AttemptRecord, type LogRecord } from '@gw/contracts';
import { HOUR_MS, DAY_MS } from '@gw/kernel';
import { requestLogRow, type RequestLogRow } from '@gw/log-store';
import { sampleLogRecord } from './log-record';

const ORGANISATION = '11111111-1111-4111-8111-111111111111';
const OTHER_ORGANISATION = '99999999-9999-4999-8999-999999999999';
const WORKSPACES = ['22222222-2222-4222-8222-222222222222', '22222222-2222-4222-8222-222222222223'] as const;
const KEYS = [
  '33333333-3333-4333-8333-333333333333',
  '33333333-3333-4333-8333-333333333334',
  '33333333-3333-4333-8333-333333333335',
] as const;

/** Returns a generator of numbers from 0 to 1, deterministic for a seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const OUTCOMES = [
  ...['ok', 'ok', 'ok', 'provider_error', 'denied'],
  ...['failed', 'client_closed', 'interrupted'],
] as LogRecord['outcome'][];

/**
 * Returns log rows of two organisations from the days before `now`, with random values and all
 * combinations of outcome and status.
 */
export function analyticsSample(count: number, now: number, seed = 1): RequestLogRow[] {
  const next = numbersFrom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)] as T;
  return Array.from({ length: count }, () => {
    const status = pick([101, 200, 200, 200, 201, 246, 304, 400, 429, 446, 500, 502]);
    const used = status < 300 && next() < 0.9;
    const retries = pick([0, 0, 0, 1, 2]);
    const cacheStatus = pick(['DISABLED', 'MISS', 'HIT', 'SEMANTIC HIT', 'SEMANTIC MISS', 'REFRESH']);
    const sample = sampleLogRecord();
    const age = pick([HOUR_MS, 5 * HOUR_MS, DAY_MS, 6 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS]);
    return requestLogRow({
      ...sample,
      createdAt: new Date(Math.floor(now - next() * age)).toISOString(),
      organisationId: next() < 0.9 ? ORGANISATION : OTHER_ORGANISATION,
      workspaceId: pick([...WORKSPACES, null]),
      apiKeyId: pick([...KEYS, null]),
      userId: pick(['user-1', 'user-2', null]),
      traceId: `trace-${String(Math.floor(next() * 50))}`,
      spanId: pick(['span-1', 'span-2', null]),
      provider: pick(['openai', 'anthropic', null]),
      credential: pick(['main', "o'brien", null]),
      model: pick(['gpt-4o', 'claude-4', 'ünï \\ "quoted"', null]),
      configId: pick(['config-1', null]),
      route: pick(['chat.completions', 'embeddings', 'mcp.call', 'a2a.send']),
      mcpServer: pick(['github', 'search', null]),
      mcpMethod: pick(['tools/call', 'prompts/get', null]),
      mcpCapability: pick(['search_issues', 'ünï \\ "tool"', null]),
      status,
      outcome: pick(OUTCOMES),
      usage: used
        ? { ...(sample.usage as NonNullable<LogRecord['usage']>), inputTokens: pick([0, 7, 900]) }
        : null,
      cost: used ? Math.floor(next() * 1e9) : null,
      retries,
      cacheStatus,
      metadata: pick<Record<string, string>>([
        {},
        { _user: 'ann', team: 'a' },
        { _user: 'bob', team: 'b' },
        { team: 'it\'s \\ {"a": 1}' },
      ]),
      durationMs: Math.round(10 ** (next() * 6) * 10) / 1_000,
      decision: {
        ...sample.decision,
        attempts: attemptsOf(retries, next() < 0.2),
        cache: {
          status: cacheStatus,
          key: null,
          ...(cacheStatus.endsWith('HIT') ? { savedCost: 1_234 } : {}),
        },
        ...(next() < 0.3
          ? { prompt: { id: 'p', slug: pick(['pp-1', 'pp-2']), versionId: 'v', version: 1 } }
          : {}),
      },
    });
  });
}

function attemptsOf(retry: number, fellBack: boolean): AttemptRecord[] {
  const attempt = (target: string, end: AttemptRecord['end'], retries: number): AttemptRecord => ({
    ...{
      target,
      provider: 'openai',
      credential: null,
      model: null,
      retry: retries,
      status: 500,
      end,
      reason: null,
    },
    ...{ startedMs: 0, durationMs: 1 },
  });
  const last = attempt('config.targets[1]', 'answered', retry);
  return fellBack ? [attempt('config.targets[0]', 'status', 0), last] : [last];
}

const NO_FILTER: AnalyticsQueryCase['filter'] = {
  values: {},
  statuses: [],
  models: [],
  metadata: {},
  traceIds: [],
  spanIds: [],
  ranges: {},
};
const COUNTED = MEASURES.filter((measure) => measure !== 'users' && measure !== 'user_requests');

/** Returns analytics queries of every kind, by name. */
export function analyticsQueries(now: number): Readonly<Record<string, AnalyticsQueryCase>> {
  const query = (
    changes: Partial<AnalyticsQueryCase>,
    filter: Partial<AnalyticsQueryCase['filter']> = {},
  ): AnalyticsQueryCase => ({
    scope: { organisationId: ORGANISATION, workspaceId: WORKSPACES[0], userId: null },
    from: now - 20 * DAY_MS - 1_234_567,
    to: now - 7_654,
    filter: { ...NO_FILTER, ...filter },
    bucket: null,
    by: [],
    measures: COUNTED,
    limit: 10_000,
    ...changes,
  });
  const every = (minutes: number, offset = 0): AnalyticsQueryCase['bucket'] => ({
    sizeMs: minutes * 60_000,
    offsetMs: offset * 60_000,
  });
  const recent = { from: now - 3 * HOUR_MS, to: now };
  const whole = { scope: { organisationId: ORGANISATION, workspaceId: null, userId: null } };
  return {
    'all of a workspace': query({}),
    'all of an organisation': query(whole),
    'of one user': query({ scope: { organisationId: ORGANISATION, workspaceId: null, userId: 'user-1' } }),
    'by the minute': query({ ...recent, bucket: every(1) }),
    'by the quarter': query({ ...recent, bucket: every(15) }),
    'by the hour': query({ bucket: every(60) }),
    'by six hours, east': query({ bucket: every(360, 120) }),
    'by the day, half an hour east': query({ bucket: every(1_440, 330) }),
    'by the day, west, long ago': query({ ...whole, bucket: every(1_440, -480), from: now - 89 * DAY_MS }),
    'within an hour': query({ ...whole, from: now - 600_000, to: now, bucket: every(1) }),
    'within one millisecond': query({ ...whole, from: now - HOUR_MS, to: now - HOUR_MS }),
    'by status and time': query({ bucket: every(360), by: ['status'] }),
    'by model': query({ by: ['model'] }),
    'by key and cache': query({ ...whole, by: ['api_key_id', 'cache_status'] }),
    'by workspace': query({ ...whole, by: ['workspace_id'] }),
    'by the remaining dimensions': query({
      by: ['credential', 'config_id', 'prompt_slug', 'route', 'request_type', 'retries'],
    }),
    'second page by cost': query({
      by: ['model'],
      order: { by: 'cost', descending: true },
      limit: 2,
      offset: 1,
    }),
    'by p95': query({ by: ['provider'], order: { by: 'p95', descending: false } }),
    'by success rate': query({
      ...whole,
      by: ['model', 'provider'],
      order: { by: 'success_rate', descending: true },
    }),
    users: query({ bucket: every(1_440), measures: ['users', 'user_requests'] }),
    'users of all': query({ ...whole, measures: ['users', 'user_requests'] }),
    'by metadata': query({ by: [{ metadata: 'team' }] }),
    'by metadata that no request has': query({ by: [{ metadata: 'nothing' }] }),
    'of metadata': query({ bucket: every(1_440) }, { metadata: { team: 'it\'s \\ {"a": 1}' } }),
    'of two metadata': query({ by: ['status'] }, { metadata: { team: 'a', _user: 'ann' } }),
    'of keys': query({}, { values: { api_key_id: [KEYS[0], KEYS[1]] } }),
    'of values': query(
      { by: ['model'] },
      { values: { credential: ["o'brien"], cache_status: ['HIT', 'MISS'] } },
    ),
    'of prompts': query({}, { values: { prompt_slug: ['pp-1'], config_id: ['config-1'] } }),
    'by tool': query({ by: ['mcp_server', 'mcp_method', 'mcp_capability'] }),
    'of a tool': query(
      { ...whole, bucket: every(360), measures: ['requests', 'errors', 'p95'] },
      { values: { mcp_server: ['github'], mcp_method: ['tools/call'], mcp_capability: ['ünï \\ "tool"'] } },
    ),
    'of a server by user': query({ by: [{ metadata: '_user' }] }, { values: { mcp_server: ['search'] } }),
    'of statuses': query({ by: ['status'] }, { statuses: [429, 500] }),
    'of successes': query({ bucket: every(360) }, { isSuccess: true }),
    'of unsuccessful requests': query({ ...whole, by: ['status'] }, { isSuccess: false }),
    'of users without success': query(
      { ...whole, measures: ['users', 'user_requests'] },
      { isSuccess: false },
    ),
    'of models': query(
      { by: ['model'] },
      {
        models: [
          { provider: 'openai', model: 'gpt-4o' },
          { provider: 'anthropic', model: 'ünï \\ "quoted"' },
        ],
      },
    ),
    'of traces': query({ by: ['status'] }, { traceIds: ['trace-1', 'trace-2'], spanIds: ['span-1'] }),
    'of amounts': query(
      { bucket: every(360) },
      { ranges: { cost: { min: 1e6, max: 5e8 }, input_tokens: { min: 1 }, total_tokens: { max: 500 } } },
    ),
    'of an organisation without requests': query({
      scope: { ...whole.scope, organisationId: KEYS[0] },
      bucket: every(60),
    }),
  };
}

/** Returns the expected rows of a query, computed from single requests. */
export function expectedRows(query: AnalyticsQueryCase, rows: readonly RequestLogRow[]): AnalyticsRow[] {
  const groups = new Map<string, RequestLogRow[]>();
  for (const row of rows.filter((candidate) => isSelected(query, candidate))) {
    const group = JSON.stringify([atOf(query, row), ...query.by.map((key) => keyOf(key, row))]);
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  const all = [...groups].map(([group, members]): AnalyticsRow => {
    const [at, ...keys] = JSON.parse(group) as [number | null, ...string[]];
    const values = Object.fromEntries(query.measures.map((name) => [name, measured(name, members)]));
    return { at, keys, values: values as Record<Measure, number> };
  });
  const { order, offset = 0, limit } = query;
  const sign = order?.descending === true ? -1 : 1;
  all.sort((one, other) => {
    const byMeasure = order ? sign * (one.values[order.by] - other.values[order.by]) : 0;
    return byMeasure || (one.at ?? 0) - (other.at ?? 0) || compare(one.keys, other.keys);
  });
  return all.slice(offset, offset + limit);
}

function compare(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((key, i) => key !== other[i]);
  return at === -1 ? 0 : (one[at] as string) < (other[at] as string) ? -1 : 1;
}

const atOf = ({ bucket }: AnalyticsQueryCase, row: RequestLogRow): number | null =>
  bucket === null
    ? null
    : Math.floor((Date.parse(row.created_at) + bucket.offsetMs) / bucket.sizeMs) * bucket.sizeMs -
      bucket.offsetMs;

const keyOf = (key: GroupKey, row: RequestLogRow): string =>
  String((typeof key === 'string' ? row[key] : row.metadata[key.metadata]) ?? '');

function isSelected(query: AnalyticsQueryCase, row: RequestLogRow): boolean {
  const { scope, from, to, by } = query;
  const at = Date.parse(row.created_at);
  return (
    row.organisation_id === scope.organisationId &&
    (scope.workspaceId === null || row.workspace_id === scope.workspaceId) &&
    (scope.userId === null || row.user_id === scope.userId) &&
    at >= from &&
    at <= to &&
    by.every((key) => typeof key === 'string' || row.metadata[key.metadata] !== undefined) &&
    (!query.measures.includes('users') || row.metadata['_user'] !== undefined) &&
    meets(query.filter, row)
  );
}

const oneOf = (values: readonly unknown[], value: unknown): boolean =>
  values.length === 0 || values.includes(value);

const meets = (filter: AnalyticsQueryCase['filter'], row: RequestLogRow): boolean =>
  Object.entries(filter.values).every(([column, values]) => oneOf(values, row[column as 'model'])) &&
  oneOf(filter.statuses, row.status) &&
  (filter.isSuccess === undefined || filter.isSuccess === isSuccess(row)) &&
  (filter.models.length === 0 ||
    filter.models.some(({ provider, model }) => row.provider === provider && row.model === model)) &&
  Object.entries(filter.metadata).every(([name, value]) => row.metadata[name] === value) &&
  oneOf(filter.traceIds, row.trace_id) &&
  oneOf(filter.spanIds, row.span_id) &&
  Object.entries(filter.ranges).every(([column, range]) => isWithin(row[column as 'cost'], range));

const isWithin = (value: number | null, { min = -Infinity, max = Infinity }: NumberRange): boolean =>
  value !== null && value >= min && value <= max;

type Rows = readonly RequestLogRow[];

const sum = (rows: Rows, value: (row: RequestLogRow) => number | null): number =>
  rows.reduce((total, row) => total + (value(row) ?? 0), 0);
const count = (rows: Rows, test: (row: RequestLogRow) => boolean): number => rows.filter(test).length;
const cached = (rows: Rows, statuses: readonly string[]): Rows =>
  rows.filter((row) => statuses.includes(row.cache_status));
const took = (rows: Rows): number => sum(rows, (row) => Math.round(row.duration_ms * 1_000));
const MISSES = ['MISS', 'SEMANTIC MISS', 'REFRESH'];

const MEASURED: Readonly<Record<Measure, (rows: Rows) => number>> = {
  requests: (rows) => rows.length,
  errors: (rows) => count(rows, (row) => resultOf(row) === 'error'),
  successes: (rows) => count(rows, isSuccess),
  cost: (rows) => sum(rows, (row) => row.cost),
  input_tokens: (rows) => sum(rows, (row) => row.input_tokens),
  output_tokens: (rows) => sum(rows, (row) => row.output_tokens),
  total_tokens: (rows) => sum(rows, (row) => row.total_tokens),
  duration: took,
  simple_hits: (rows) => cached(rows, ['HIT']).length,
  semantic_hits: (rows) => cached(rows, ['SEMANTIC HIT']).length,
  simple_savings: (rows) => sum(cached(rows, ['HIT']), (row) => row.saved_cost),
  semantic_savings: (rows) => sum(cached(rows, ['SEMANTIC HIT']), (row) => row.saved_cost),
  hit_duration: (rows) => took(cached(rows, ['HIT', 'SEMANTIC HIT'])),
  misses: (rows) => cached(rows, MISSES).length,
  miss_duration: (rows) => took(cached(rows, MISSES)),
  retried: (rows) => count(rows, (row) => row.retries > 0 && resultOf(row) !== 'error'),
  fell_back: (rows) => count(rows, (row) => row.fell_back && resultOf(row) !== 'error'),
  llm: (rows) => count(rows, ({ route }) => route !== 'mcp.call' && route !== 'a2a.send'),
  mcp: (rows) => count(rows, ({ route }) => route === 'mcp.call'),
  a2a: (rows) => count(rows, ({ route }) => route === 'a2a.send'),
  users: (rows) => new Set(rows.flatMap(({ metadata }) => metadata['_user'] ?? [])).size,
  user_requests: (rows) => count(rows, ({ metadata }) => metadata['_user'] !== undefined),
  first_seen: (rows) => Math.min(...rows.map((row) => Date.parse(row.created_at))),
  last_seen: (rows) => Math.max(...rows.map((row) => Date.parse(row.created_at))),
  avg_cost: (rows) => sum(rows, (row) => row.cost) / rows.length,
  avg_tokens: (rows) => sum(rows, (row) => row.total_tokens) / rows.length,
  avg_input_tokens: (rows) => sum(rows, (row) => row.input_tokens) / rows.length,
  avg_output_tokens: (rows) => sum(rows, (row) => row.output_tokens) / rows.length,
  avg_duration: (rows) => took(rows) / rows.length,
  success_rate: (rows) => count(rows, isSuccess) / rows.length,
  hit_rate: (rows) => cached(rows, ['HIT', 'SEMANTIC HIT']).length / rows.length,
  p50: (rows) => percentile(rows, 50),
  p90: (rows) => percentile(rows, 90),
  p95: (rows) => percentile(rows, 95),
  p99: (rows) => percentile(rows, 99),
};

const measured = (name: Measure, rows: Rows): number => MEASURED[name](rows);

function percentile(rows: Rows, hundredths: number): number {
  const sorted = rows.map((row) => latencyBucket(row.duration_ms)).sort((one, other) => one - other);
  return latencyOfBucket(sorted[Math.ceil((hundredths * sorted.length) / 100) - 1] ?? 0);
}

/** Contract test of analytics stores. `put` must store rows like the ingest does. */
export function analyticsContract(
  store: () => AnalyticsStore,
  put: (rows: readonly RequestLogRow[]) => Promise<void>,
): void {
  const now = Date.now();
  const queries = analyticsQueries(now);
  const rows = analyticsSample(3_000, now);

  beforeAll(async () => {
    for (let at = 0; at < rows.length; at += 500) await put(rows.slice(at, at + 500));
  });

  it.each(Object.keys(queries))(
    'returns the same rows as a computation from single requests: %s',
    async (name) => {
      const query = queries[name] as AnalyticsQueryCase;
      const found = await store().rows(query);
      expect(found).toEqual(expectedRows(query, rows));
      expect(await store().count(query)).toBe(
        expectedRows({ ...query, limit: Infinity, offset: 0 }, rows).length,
      );
    },
  );
}
