import type { MigrationInterface, QueryRunner } from 'typeorm';

const REQUEST_LOGS = `CREATE TABLE request_logs (
  id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  organisation_id uuid,
  workspace_id uuid,
  api_key_id uuid,
  user_id text,
  trace_id text NOT NULL,
  span_id text,
  parent_span_id text,
  span_name text,
  method text NOT NULL,
  url text NOT NULL,
  route text NOT NULL,
  status integer NOT NULL,
  outcome text NOT NULL,
  error_type text,
  provider text,
  credential text,
  integration_id text,
  model text,
  response_model text,
  streamed boolean NOT NULL,
  input_tokens bigint,
  output_tokens bigint,
  total_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  reasoning_tokens bigint,
  input_audio_tokens bigint,
  output_audio_tokens bigint,
  cost bigint,
  priced text NOT NULL,
  config_id text,
  config_version_id text,
  target_path text,
  retries integer NOT NULL,
  cache_status text NOT NULL,
  metadata jsonb NOT NULL,
  duration_ms double precision NOT NULL,
  first_byte_ms double precision,
  overhead_ms double precision NOT NULL,
  request_bytes bigint NOT NULL,
  response_bytes bigint NOT NULL,
  request_content_type text,
  response_content_type text,
  request_body_truncated boolean NOT NULL,
  response_body_truncated boolean NOT NULL,
  gateway_id text NOT NULL,
  decision jsonb NOT NULL,
  CONSTRAINT request_logs_pk PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at)`;

const REQUEST_LOG_BODIES = `CREATE TABLE request_log_bodies (
  id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  request bytea,
  response bytea,
  CONSTRAINT request_log_bodies_pk PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at)`;

/**
 * The request log: one partition per UTC day, made by the worker. Ids lead the primary keys, so that one record is found by its id
 * alone; lists read the indexes by workspace or organisation and time. Ids of other tables are no foreign keys: a log outlives what
 * it names.
 */
export class RequestLogs1795300000000 implements MigrationInterface {
  readonly name = 'RequestLogs1795300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(REQUEST_LOGS);
    await runner.query(`
      CREATE INDEX request_logs_workspace_ix ON request_logs (workspace_id, created_at DESC, id DESC)`);
    await runner.query(`
      CREATE INDEX request_logs_organisation_ix ON request_logs (organisation_id, created_at DESC, id DESC)`);
    await runner.query('CREATE INDEX request_logs_trace_ix ON request_logs (trace_id)');
    await runner.query(REQUEST_LOG_BODIES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE request_log_bodies');
    await runner.query('DROP TABLE request_logs');
  }
}
