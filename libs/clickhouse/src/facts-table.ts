import { latencyBucket, type DerivedFacts } from '@gw/analytics';

/** How a column's values reach ClickHouse. */
interface FactColumn {
  readonly type: string;
  /** The value as the JSON of an insert has it. */
  readonly of: (row: FactRow) => unknown;
}

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

type Text = {
  [Name in keyof FactRow]: FactRow[Name] extends string | null ? Name : never;
}[keyof FactRow];

/** Half of a surrogate pair is no text that ClickHouse reads. */
const readable = (value: string | null): string => (value ?? '').replaceAll(/\p{Surrogate}/gu, '\uFFFD');

/** Text of which a store has many different values. Null is stored as the empty text. */
const text = (name: Text): FactColumn => ({ type: 'String', of: (row) => readable(row[name]) });
/** Text of which a store has few different values. */
const label = (name: Text): FactColumn => ({
  type: 'LowCardinality(String)',
  of: (row) => readable(row[name]),
});
const as = <Name extends keyof FactRow>(type: string, name: Name): FactColumn => ({
  type,
  of: (row) => row[name],
});

/** The table's columns, in order: its statement and its rows come from here. */
const COLUMNS: Readonly<Record<string, FactColumn>> = {
  id: as('String', 'id'),
  created_at: {
    type: "DateTime64(3, 'UTC')",
    of: (row) => new Date(row.created_at).toISOString().slice(0, 23).replace('T', ' '),
  },
  organisation_id: label('organisation_id'),
  workspace_id: label('workspace_id'),
  api_key_id: text('api_key_id'),
  user_id: text('user_id'),
  provider: label('provider'),
  credential: label('credential'),
  model: label('model'),
  config_id: label('config_id'),
  prompt_slug: label('prompt_slug'),
  route: label('route'),
  request_type: as('LowCardinality(String)', 'request_type'),
  status: as('Int32', 'status'),
  outcome: { ...label('outcome'), type: `${label('outcome').type} DEFAULT ''` },
  cache_status: label('cache_status'),
  retries: as('Int32', 'retries'),
  fell_back: as('Bool', 'fell_back'),
  metadata: {
    type: 'Map(String, String)',
    of: ({ metadata }) =>
      Object.fromEntries(Object.entries(metadata).map(([name, value]) => [readable(name), readable(value)])),
  },
  trace_id: text('trace_id'),
  span_id: text('span_id'),
  cost: as('Nullable(Int64)', 'cost'),
  saved_cost: as('Nullable(Int64)', 'saved_cost'),
  input_tokens: as('Nullable(Int64)', 'input_tokens'),
  output_tokens: as('Nullable(Int64)', 'output_tokens'),
  total_tokens: as('Nullable(Int64)', 'total_tokens'),
  duration_us: { type: 'Int64', of: (row) => Math.round(row.duration_ms * 1_000) },
  latency_bucket: { type: 'UInt16', of: (row) => latencyBucket(row.duration_ms) },
};
const ALL = Object.entries(COLUMNS);

/**
 * One row for each request. A row that comes again replaces itself, so that a batch may be sent twice; until the parts are merged, `FINAL`
 * does the same for readers.
 */
export const factsTable = (name: string): string => `CREATE TABLE IF NOT EXISTS ${name} (
  ${ALL.map(([column, { type }]) => `${column} ${type}`).join(',\n  ')}
) ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(created_at)
ORDER BY (organisation_id, workspace_id, created_at, id)
TTL toDateTime(created_at) + INTERVAL 366 DAY`;

/** Columns that tables made by earlier releases lack. Requests without an outcome count as a success or an error by their status alone. */
export const missingColumns = (name: string): string =>
  `ALTER TABLE ${name} ADD COLUMN IF NOT EXISTS outcome ${(COLUMNS['outcome'] as FactColumn).type} AFTER status`;

export const factOf = (row: FactRow): Record<string, unknown> =>
  Object.fromEntries(ALL.map(([column, { of }]) => [column, of(row)]));
