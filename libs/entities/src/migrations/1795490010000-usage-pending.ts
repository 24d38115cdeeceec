import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Requests that are not yet part of the rollups: written with the log, without an index or a look for what is there, and merged by the
 * worker some seconds later, thousands at a time. Whoever asks reads both, so that an answer is exact at any moment.
 */
const PENDING = `CREATE TABLE usage_pending (
  organisation_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  workspace_id uuid,
  api_key_id uuid,
  user_id text,
  provider text,
  credential text,
  model text,
  config_id text,
  prompt_slug text,
  route text NOT NULL,
  request_type text NOT NULL,
  status integer NOT NULL,
  cache_status text NOT NULL,
  retries integer NOT NULL,
  fell_back boolean NOT NULL,
  metadata jsonb NOT NULL,
  sign smallint NOT NULL,
  cost bigint,
  saved_cost bigint,
  input_tokens bigint,
  output_tokens bigint,
  total_tokens bigint,
  duration_ms double precision NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000)`;

const OVERVIEW =
  'workspace_id, provider, credential, model, request_type, status, cache_status, retries, fell_back';

/**
 * Sums over all that most graphs don't ask for, so that a month of a busy workspace is some ten thousand rows: one without keys, users,
 * configs, prompts and routes, and one of users alone. They have the columns of the others; what they don't tell apart is null.
 */
const SUMMARIES = [
  'CREATE TABLE usage_overviews (LIKE usage_rollups)',
  `ALTER TABLE usage_overviews ADD CONSTRAINT usage_overviews_pk PRIMARY KEY (organisation_id, grain, at, series),
     ALTER COLUMN route DROP NOT NULL`,
  'CREATE TABLE usage_users (LIKE usage_metadata_rollups)',
  `ALTER TABLE usage_users ADD CONSTRAINT usage_users_pk PRIMARY KEY (organisation_id, grain, at, series),
     ${['route', 'request_type', 'status', 'cache_status', 'retries', 'fell_back']
       .map((column) => `ALTER COLUMN ${column} DROP NOT NULL`)
       .join(', ')}`,
  ...['usage_overviews', 'usage_users'].flatMap((table) => [
    `CREATE INDEX ${table}_workspace_ix ON ${table} (workspace_id, grain, at)`,
    `CREATE INDEX ${table}_age_ix ON ${table} (grain, at)`,
  ]),
  summarise({ into: 'usage_overviews', from: 'usage_rollups', columns: OVERVIEW }),
  summarise({
    into: 'usage_users',
    from: `usage_metadata_rollups WHERE metadata ? '_user'`,
    columns: 'workspace_id, metadata',
    values: `workspace_id, jsonb_build_object('_user', metadata -> '_user')`,
  }),
];

const ALL =
  'workspace_id, api_key_id, user_id, provider, credential, model, config_id, prompt_slug, route, request_type, status, cache_status, retries, fell_back';

/** What tells the rows of each table apart. */
export const USAGE_COLUMNS = {
  usage_rollups: ALL,
  usage_metadata_rollups: `${ALL}, metadata`,
  usage_overviews: OVERVIEW,
  usage_users: 'workspace_id, metadata',
} as const;

/** Rows of six hours, so that a graph of a month reads a sixth of what hours are. */
const QUARTERS_OF_DAYS = (['usage_rollups', 'usage_metadata_rollups'] as const).map((table) =>
  summarise({
    into: table,
    from: `${table} WHERE grain = 60`,
    columns: USAGE_COLUMNS[table],
    series: 'series',
    grain: '360::smallint',
    at: `date_bin('6 hours', at, 'epoch')`,
  }),
);

export interface Summary {
  readonly into: string;
  /** A table, with a condition where not all of it is meant. */
  readonly from: string;
  readonly columns: string;
  /** Of the columns, where they are not those of the same name. */
  readonly values?: string;
  readonly series?: string;
  readonly grain?: string;
  readonly at?: string;
}

/** What the finer rollups hold already. */
export function summarise({
  into,
  from,
  columns,
  values = columns,
  series = `md5(ROW(${values})::text)::uuid`,
  grain = 'grain',
  at = 'at',
}: Summary): string {
  const place = 'organisation_id, grain, at, series';
  const sums = 'requests, cost, saved_cost, input_tokens, output_tokens, total_tokens, duration_us';
  return `WITH told AS (
      SELECT organisation_id, ${grain} AS grain, ${at} AS at, ${series} AS series, ${columns}, ${sums}, first_at, last_at,
        latency_buckets, latency_counts
      FROM ${from}
    ), counted (${place}, bucket, amount) AS (
      SELECT told.organisation_id, told.grain, told.at, told.series, counts.bucket, sum(counts.amount)::integer
      FROM told CROSS JOIN LATERAL unnest(latency_buckets, latency_counts) AS counts (bucket, amount)
      GROUP BY 1, 2, 3, 4, 5
    ), histograms AS (
      SELECT ${place}, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(amount ORDER BY bucket) AS amounts
      FROM counted WHERE amount <> 0 GROUP BY ${place}
    ), summed (${place}, ${columns}, ${sums}, first_at, last_at) AS (
      SELECT ${place}, ${values}, ${sums
        .split(', ')
        .map((sum) => `sum(${sum})`)
        .join(', ')}, min(first_at), max(last_at)
      FROM told GROUP BY ${place}, ${values}
    )
    INSERT INTO ${into} (${place}, ${columns}, ${sums}, first_at, last_at, latency_buckets, latency_counts)
    SELECT ${place}, ${columns}, ${sums}, first_at, last_at, coalesce(buckets, '{}'), coalesce(amounts, '{}')
    FROM summed LEFT JOIN histograms USING (${place})`;
}

export class UsagePending1795490010000 implements MigrationInterface {
  readonly name = 'UsagePending1795490010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PENDING);
    // The summaries take every grain that they find.
    for (const statement of [...QUARTERS_OF_DAYS, ...SUMMARIES]) await runner.query(statement);
  }

  /** What is pending is lost: merge it first. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE usage_pending, usage_overviews, usage_users');
    for (const table of ['usage_rollups', 'usage_metadata_rollups'])
      await runner.query(`DELETE FROM ${table} WHERE grain = 360`);
  }
}
