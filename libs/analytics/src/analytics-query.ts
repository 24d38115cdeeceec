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

/** Percentiles in hundredths, since stores compare whole numbers. */
export const PERCENTILES = { p50: 50, p90: 90, p95: 95, p99: 99 } as const satisfies Partial<
  Record<Measure, number>
>;
export type Percentile = keyof typeof PERCENTILES;

/** Owner of the requests: one organisation. Null: any workspace, or keys of any user. */
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

/**
 * Conditions on requests. A request must meet all of them; for a list of values it must have one of
 * them.
 */
export interface AnalyticsFilter {
  readonly values: { readonly [column in (typeof VALUE_FILTERS)[number]]?: readonly string[] };
  readonly statuses: readonly number[];
  /** Absent: both successful and failed requests. */
  readonly isSuccess?: boolean;
  readonly models: readonly { readonly provider: string; readonly model: string }[];
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * Only the log holds the following facts, so that a query with one of them reads single requests.
   */
  readonly traceIds: readonly string[];
  readonly spanIds: readonly string[];
  readonly ranges: {
    readonly [column in 'cost' | 'total_tokens' | 'input_tokens' | 'output_tokens']?: NumberRange;
  };
}

export type GroupKey = Dimension | { readonly metadata: string };

export interface TimeBucket {
  readonly sizeMs: number;
  /** Offset from UTC; positive is east. */
  readonly offsetMs: number;
}

export interface AnalyticsQueryCase {
  readonly scope: AnalyticsScope;
  /** Unix milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly filter: AnalyticsFilter;
  /** Null: the whole time range is one bucket. */
  readonly bucket: TimeBucket | null;
  /** Keys to group by. A metadata key restricts the query to requests that have it. */
  readonly by: readonly GroupKey[];
  readonly measures: readonly Measure[];
  /**
   * Absent: by time, then by the group keys. Groups with equal measures are sorted by their keys.
   */
  readonly order?: { readonly by: Measure; readonly descending: boolean };
  readonly limit: number;
  readonly offset?: number;
}

/**
 * One group. `keys` has a text for each key of the query; it is empty for requests without a value.
 */
export interface AnalyticsRow {
  /** Start of the bucket, in Unix milliseconds; null without buckets. */
  readonly at: number | null;
  readonly keys: readonly string[];
  /** Percentiles of a group without requests are 0. */
  readonly values: Readonly<Record<Measure, number>>;
}

/**
 * A store that answers analytics queries. The same contract test covers Postgres and ClickHouse.
 */
export interface AnalyticsStore {
  /** Returns the groups with requests, at most `limit`. */
  rows(query: AnalyticsQueryCase): Promise<AnalyticsRow[]>;
  /** Returns how many groups `rows` would return without its limit. */
  count(query: AnalyticsQueryCase): Promise<number>;
}
