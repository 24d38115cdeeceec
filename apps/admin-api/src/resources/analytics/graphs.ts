import { MEASURES, type AnalyticsRow, type Dimension, type Measure } from '@gw/analytics';
import { ratio, toCents, toMs } from './figures';

type Values = Readonly<Record<Measure, number>>;

/**
 * Defines a graph: the measures that it needs, and how its summary and points are built. `sofar`
 * contains the sums of all points up to this one.
 */
export interface Graph {
  readonly measures: readonly Measure[];
  /** Dimension by which the rows of a point are grouped; absent when they are not grouped. */
  readonly by?: Dimension;
  readonly summary: (all: Values, groups: readonly AnalyticsRow[]) => object;
  readonly point: (values: Values, groups: readonly AnalyticsRow[], sofar: Values) => object;
}

const mean = (measure: Measure, to: (value: number) => number = (value) => value) => ({
  measures: [measure, 'requests'] as const,
  summary: (all: Values) => ({ total: to(all[measure]), avg: ratio(to(all[measure]), all.requests) }),
  point: (values: Values) => ({
    total: to(values[measure]),
    avg: ratio(to(values[measure]), values.requests),
  }),
});
const total = (measure: Measure): Graph => ({
  measures: [measure],
  summary: (all) => ({ total: all[measure] }),
  point: (values) => ({ total: values[measure] }),
});
const byType = ({ requests, llm, mcp, a2a }: Values): object => ({ total: requests, llm, mcp, a2a });
const latencies = ({ duration, requests, p50, p90, p99 }: Values): object => ({
  avg: ratio(toMs(duration), requests),
  p50,
  p90,
  p99,
});
const hits = ({ simple_hits: simple, semantic_hits: semantic }: Values): number => simple + semantic;
const hitRate = (values: Values): number => ratio(hits(values) * 100, values.requests);

/** Counts successful requests by the number of retries that they needed. */
const retryCounts = (groups: readonly AnalyticsRow[]): object[] =>
  groups
    .filter(({ values }) => values.retried > 0)
    .map(({ keys: [retries], values }) => ({ retry_success_count: Number(retries), count: values.retried }));

export const GRAPHS = {
  requests: { measures: ['requests', 'llm', 'mcp', 'a2a'], summary: byType, point: byType },
  cost: mean('cost', toCents),
  latency: { measures: ['duration', 'requests', 'p50', 'p90', 'p99'], summary: latencies, point: latencies },
  tokens: mean('total_tokens'),
  users: total('users'),
  userRequests: {
    measures: ['users', 'user_requests'],
    summary: ({ users, user_requests: requests }) => ({
      total: requests,
      unique: users,
      avg: ratio(requests, users),
    }),
    point: ({ users, user_requests: requests }) => ({ avg: ratio(requests, users) }),
  },
  errors: total('errors'),
  errorRate: {
    measures: ['errors', 'requests'],
    summary: (all) => ({ rate: ratio(all.errors * 100, all.requests) }),
    point: (values) => ({ rate: ratio(values.errors * 100, values.requests) }),
  },
  errorStacks: {
    measures: ['errors'],
    by: 'status',
    summary: (all) => ({ total: all.errors }),
    point: (_values, groups) => ({
      stats: groups
        .filter(({ values }) => values.errors > 0)
        .map(({ keys: [status], values }) => ({
          response_status_code: Number(status),
          count: values.errors,
        })),
    }),
  },
  rescued: {
    measures: ['retried', 'fell_back'],
    by: 'retries',
    summary: (all) => ({ retry: all.retried, fallback: all.fell_back }),
    point: (values, groups) => ({ retry: retryCounts(groups), fallback: values.fell_back }),
  },
  hitRate: {
    measures: ['simple_hits', 'semantic_hits', 'simple_savings', 'semantic_savings', 'requests'],
    summary: (all) => ({ total: hits(all), rate: hitRate(all) }),
    point: (values, _groups, sofar) => ({
      simple_hits: values.simple_hits,
      semantic_hits: values.semantic_hits,
      rate: hitRate(values),
      cumulative_simple_cache_savings: toCents(sofar.simple_savings),
      cumulative_semantic_cache_savings: toCents(sofar.semantic_savings),
    }),
  },
  cacheLatency: {
    measures: ['simple_hits', 'semantic_hits', 'hit_duration'],
    summary: () => ({}),
    point: (values) => ({ avg: ratio(toMs(values.hit_duration), hits(values)) }),
  },
} as const satisfies Readonly<Record<string, Graph>>;

export const NOTHING: Values = Object.fromEntries(MEASURES.map((measure) => [measure, 0])) as Record<
  Measure,
  number
>;

/** Adds two sets of measures. */
export const addMeasures = (first: Values, second: Partial<Values>): Values =>
  Object.fromEntries(MEASURES.map((measure) => [measure, first[measure] + (second[measure] ?? 0)])) as Record<
    Measure,
    number
  >;

/** Returns the cache hits, and by how many percent they are faster than misses. */
export function cacheSummary(all: Values): object {
  const hitMs = ratio(toMs(all.hit_duration), hits(all));
  const missMs = ratio(toMs(all.miss_duration), all.misses);
  const speedup = hits(all) === 0 || missMs === 0 ? 0 : (1 - hitMs / missMs) * 100;
  return { hits: hits(all), avg_latency: hitMs, total_requests: all.requests, cache_speedup: speedup };
}

export const CACHE_SUMMARY: readonly Measure[] = [
  'simple_hits',
  'semantic_hits',
  'hit_duration',
  'misses',
  'miss_duration',
  'requests',
];
