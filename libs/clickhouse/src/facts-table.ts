import { latencyBucket, type DerivedFacts } from '@gw/analytics';

/** What of a log row is kept for analytics. */
export interface FactRow extends DerivedFacts {
  readonly id: string;
  readonly created_at: string;
  readonly organisation_id: string | null;
  readonly workspace_id: string | null;
  readonly api_key_id: string | null;
  readonly user_id: string | null;
  readonly provider: string | null;
  readonly credential: string | null;
  readonly model: string | null;
  readonly config_id: string | null;
  readonly route: string;
  readonly status: number;
  readonly outcome: string;
  readonly cache_status: string;
  readonly retries: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly trace_id: string;
  readonly span_id: string | null;
  readonly cost: number | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly total_tokens: number | null;
  readonly duration_ms: number;
}

/**
 * One row for each request. A row that comes again replaces itself, so that a batch may be sent twice; until the parts are merged, `FINAL`
 * does the same for whoever reads.
 */
export const factsTable = (name: string): string => `CREATE TABLE IF NOT EXISTS ${name} (
  id String,
  created_at DateTime64(3, 'UTC'),
  organisation_id LowCardinality(String),
  workspace_id LowCardinality(String),
  api_key_id String,
  user_id String,
  provider LowCardinality(String),
  credential LowCardinality(String),
  model LowCardinality(String),
  config_id LowCardinality(String),
  prompt_slug LowCardinality(String),
  route LowCardinality(String),
  request_type LowCardinality(String),
  status Int32,
  outcome LowCardinality(String) DEFAULT '',
  cache_status LowCardinality(String),
  retries Int32,
  fell_back Bool,
  metadata Map(String, String),
  trace_id String,
  span_id String,
  cost Nullable(Int64),
  saved_cost Nullable(Int64),
  input_tokens Nullable(Int64),
  output_tokens Nullable(Int64),
  total_tokens Nullable(Int64),
  duration_us Int64,
  latency_bucket UInt16
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(created_at)
ORDER BY (organisation_id, workspace_id, created_at, id)
TTL toDateTime(created_at) + INTERVAL 366 DAY`;

/** Columns that tables made by earlier releases lack. Requests without an outcome count as a success or an error by their status alone. */
export const missingColumns = (name: string): string =>
  `ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS outcome LowCardinality(String) DEFAULT '' AFTER status`;

/** Half of a surrogate pair is no text that the other side reads. */
const text = (value: string | null): string => (value ?? '').replaceAll(/\p{Surrogate}/gu, '\uFFFD');

export function factOf(row: FactRow): Record<string, unknown> {
  return {
    id: row.id,
    // In UTC, as the column is.
    created_at: new Date(row.created_at).toISOString().slice(0, 23).replace('T', ' '),
    organisation_id: text(row.organisation_id),
    workspace_id: text(row.workspace_id),
    api_key_id: text(row.api_key_id),
    user_id: text(row.user_id),
    provider: text(row.provider),
    credential: text(row.credential),
    model: text(row.model),
    config_id: text(row.config_id),
    prompt_slug: text(row.prompt_slug),
    route: text(row.route),
    request_type: row.request_type,
    status: row.status,
    outcome: text(row.outcome),
    cache_status: text(row.cache_status),
    retries: row.retries,
    fell_back: row.fell_back,
    metadata: Object.fromEntries(
      Object.entries(row.metadata).map(([name, value]) => [text(name), text(value)]),
    ),
    trace_id: text(row.trace_id),
    span_id: text(row.span_id),
    cost: row.cost,
    saved_cost: row.saved_cost,
    input_tokens: row.input_tokens,
    output_tokens: row.output_tokens,
    total_tokens: row.total_tokens,
    duration_us: Math.round(row.duration_ms * 1_000),
    latency_bucket: latencyBucket(row.duration_ms),
  };
}
