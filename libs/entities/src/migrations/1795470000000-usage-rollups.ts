import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What requests of a quarter of an hour, and of an hour, add up to: one row for all that are alike. The second table tells them apart by
 * their metadata too, and has only those with any; it never has more rows than twice the log. `series` is a digest of the columns that
 * tell rows apart. Latencies are counted in the buckets of a scale that never changes.
 */
const rollups = (table: string, metadata: string): string => `CREATE TABLE ${table} (
  organisation_id uuid NOT NULL,
  grain smallint NOT NULL,
  at timestamptz NOT NULL,
  series uuid NOT NULL,
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
  fell_back boolean NOT NULL,${metadata}
  requests bigint NOT NULL,
  cost numeric NOT NULL,
  saved_cost numeric NOT NULL,
  input_tokens numeric NOT NULL,
  output_tokens numeric NOT NULL,
  total_tokens numeric NOT NULL,
  duration_us numeric NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  latency_buckets smallint[] NOT NULL,
  latency_counts integer[] NOT NULL,
  CONSTRAINT ${table}_pk PRIMARY KEY (organisation_id, grain, at, series)
)`;

const TRACE_SPANS = `CREATE TABLE trace_spans (
  workspace_id uuid NOT NULL,
  trace_id text NOT NULL,
  span_id text NOT NULL,
  organisation_id uuid NOT NULL,
  user_id uuid,
  parent_span_id text,
  name text NOT NULL,
  kind text NOT NULL,
  started_at timestamptz NOT NULL,
  duration_us bigint NOT NULL,
  status text NOT NULL,
  status_message text,
  attributes jsonb NOT NULL,
  resource jsonb NOT NULL,
  events jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT trace_spans_pk PRIMARY KEY (workspace_id, trace_id, span_id)
)`;

export class UsageRollups1795470000000 implements MigrationInterface {
  readonly name = 'UsageRollups1795470000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE request_logs
      ADD COLUMN request_type text NOT NULL DEFAULT 'llm',
      ADD COLUMN fell_back boolean NOT NULL DEFAULT false,
      ADD COLUMN saved_cost bigint`);
    await runner.query(TRACE_SPANS);
    await runner.query('CREATE INDEX trace_spans_age_ix ON trace_spans (created_at)');
    await runner.query(rollups('usage_rollups', ''));
    await runner.query(rollups('usage_metadata_rollups', '\n  metadata jsonb NOT NULL,'));
    for (const table of ['usage_rollups', 'usage_metadata_rollups']) {
      await runner.query(`CREATE INDEX ${table}_workspace_ix ON ${table} (workspace_id, grain, at)`);
      await runner.query(`CREATE INDEX ${table}_age_ix ON ${table} (grain, at)`);
    }
    await runner.query(
      'CREATE INDEX feedback_workspace_ix ON feedback (organisation_id, workspace_id, created_at)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE trace_spans');
    await runner.query('DROP TABLE usage_metadata_rollups');
    await runner.query('DROP TABLE usage_rollups');
    await runner.query('DROP INDEX feedback_workspace_ix');
    await runner.query(`ALTER TABLE request_logs DROP COLUMN request_type,
      DROP COLUMN fell_back, DROP COLUMN saved_cost`);
  }
}
