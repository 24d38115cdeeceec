/** Dimensions by which requests can be grouped. */
export const DIMENSIONS = [
  'workspace_id',
  'api_key_id',
  'provider',
  'credential',
  'model',
  'config_id',
  'prompt_slug',
  'mcp_server',
  'mcp_method',
  'mcp_capability',
  'route',
  'request_type',
  'status',
  'cache_status',
  'retries',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const REQUEST_TYPES = ['llm', 'mcp', 'a2a'] as const;
export type RequestType = (typeof REQUEST_TYPES)[number];

/**
 * Measures of a group. Money in 1e-8 USD, durations in microseconds, times in Unix milliseconds,
 * percentiles in milliseconds, rates in parts of one.
 */
export const MEASURES = [
  'requests',
  'errors',
  'successes',
  'cost',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'duration',
  'simple_hits',
  'semantic_hits',
  'simple_savings',
  'semantic_savings',
  'hit_duration',
  'misses',
  'miss_duration',
  'retried',
  'fell_back',
  'llm',
  'mcp',
  'a2a',
  'users',
  'user_requests',
  'first_seen',
  'last_seen',
  'avg_cost',
  'avg_tokens',
  'avg_input_tokens',
  'avg_output_tokens',
  'avg_duration',
  'success_rate',
  'hit_rate',
  'p50',
  'p90',
  'p95',
  'p99',
] as const;
export type Measure = (typeof MEASURES)[number];

/** In hundredths: stores compare whole numbers. */
export const PERCENTILES = { p50: 50, p90: 90, p95: 95, p99: 99 } as const satisfies Partial<
  Record<Measure, number>
>;
export type Percentile = keyof typeof PERCENTILES;

/** Whose requests: always one organisation. Null: no matter which workspace, or whose key. */
export interface AnalyticsScope {
  readonly organisationId: string;
  readonly workspaceId: string | null;
  readonly userId: string | null;
}

export interface NumberRange {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

export const VALUE_FILTERS = [
  'api_key_id',
  'credential',
  'config_id',
  'prompt_slug',
  'mcp_server',
  'mcp_method',
  'mcp_capability',
  'request_type',
  'cache_status',
  'provider',
  'model',
] as const satisfies readonly Dimension[];

/** All that is named must hold; of a list of values, any one. */
export interface AnalyticsFilter {
  readonly values: { readonly [column in (typeof VALUE_FILTERS)[number]]?: readonly string[] };
  readonly statuses: readonly number[];
  /** Absent: no matter how they ended. */
  readonly isSuccess?: boolean;
  readonly models: readonly { readonly provider: string; readonly model: string }[];
  readonly metadata: Readonly<Record<string, string>>;
  /** These are facts of single requests alone, so that an ask with one of them reads the log. */
  readonly traceIds: readonly string[];
  readonly spanIds: readonly string[];
  readonly ranges: {
    readonly [column in 'cost' | 'total_tokens' | 'input_tokens' | 'output_tokens']?: NumberRange;
  };
}

export type GroupKey = Dimension | { readonly metadata: string };

export interface TimeBucket {
  readonly sizeMs: number;
  /** East of UTC. */
  readonly offsetMs: number;
}

export interface AnalyticsQueryCase {
  readonly scope: AnalyticsScope;
  /** Unix milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly filter: AnalyticsFilter;
  /** Null: all of the time is one. */
  readonly bucket: TimeBucket | null;
  /** With a metadata name only requests that have it are counted. */
  readonly by: readonly GroupKey[];
  readonly measures: readonly Measure[];
  /** Absent: by time, then by the keys. Groups that are equal by a measure are in the order of their keys. */
  readonly order?: { readonly by: Measure; readonly descending: boolean };
  readonly limit: number;
  readonly offset?: number;
}

/** One group. `keys` has a text for each of the ask's, empty where requests have none. */
export interface AnalyticsRow {
  /** When the bucket begins, in Unix milliseconds; null without buckets. */
  readonly at: number | null;
  readonly keys: readonly string[];
  /** Percentiles of a group without requests are 0. */
  readonly values: Readonly<Record<Measure, number>>;
}

/** Where analytics are read. Postgres and ClickHouse pass one contract test. */
export interface AnalyticsStore {
  /** Groups that have requests, at most `limit`. */
  rows(ask: AnalyticsQueryCase): Promise<AnalyticsRow[]>;
  /** How many groups `rows` would give without its limit. */
  count(ask: AnalyticsQueryCase): Promise<number>;
}
