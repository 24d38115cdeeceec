import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Bodies in one compressed column or in a store of their own, feedback, and exports. What is there of bodies is taken over in the
 * plain form of `log-body.ts`.
 */
export class LogStore1795460000000 implements MigrationInterface {
  readonly name = 'LogStore1795460000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}

const UP = [
  'ALTER TABLE request_logs ADD COLUMN body_ref text, ADD COLUMN prompt_id text, ADD COLUMN prompt_slug text',
  'ALTER TABLE request_log_bodies ADD COLUMN content bytea',
  // Compressed already: Postgres would only try in vain.
  'ALTER TABLE request_log_bodies ALTER COLUMN content SET STORAGE EXTERNAL',
  `UPDATE request_log_bodies SET content = '\\x00'::bytea
     || int4send(coalesce(length(request), -1)) || int4send(coalesce(length(response), -1))
     || coalesce(request, ''::bytea) || coalesce(response, ''::bytea)`,
  `ALTER TABLE request_log_bodies DROP COLUMN request, DROP COLUMN response, ALTER COLUMN content SET NOT NULL`,
  // Filters that leave few of many logs: without an index of their own they would read a month to fill a page.
  'CREATE INDEX request_logs_key_ix ON request_logs (api_key_id, created_at DESC, id DESC)',
  'CREATE INDEX request_logs_model_ix ON request_logs (workspace_id, model, created_at DESC, id DESC)',
  'CREATE INDEX request_logs_failed_ix ON request_logs (workspace_id, created_at DESC, id DESC) WHERE status >= 400',
  `CREATE INDEX request_logs_prompt_ix ON request_logs (workspace_id, prompt_slug, created_at DESC, id DESC)
     WHERE prompt_slug IS NOT NULL`,
  'CREATE INDEX request_logs_metadata_ix ON request_logs USING gin (metadata jsonb_path_ops)',
  `CREATE TABLE feedback (
    id uuid CONSTRAINT feedback_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    trace_id text NOT NULL,
    value double precision NOT NULL,
    weight double precision NOT NULL,
    metadata jsonb NOT NULL DEFAULT '{}',
    source varchar(16) NOT NULL CONSTRAINT feedback_source_ck CHECK (source IN ('api', 'guardrail')),
    api_key_id uuid,
    user_id uuid,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now()
  )`,
  'CREATE INDEX feedback_trace_ix ON feedback (workspace_id, trace_id)',
  'CREATE INDEX feedback_created_at_ix ON feedback (created_at)',
  `ALTER TABLE organisations ADD COLUMN export_settings jsonb NOT NULL DEFAULT '{}'`,
  `ALTER TABLE workspaces ADD COLUMN export_settings jsonb NOT NULL DEFAULT '{}'`,
  `CREATE TABLE log_exports (
    id uuid CONSTRAINT log_exports_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    status varchar(16) NOT NULL
      CONSTRAINT log_exports_status_ck CHECK (status IN ('draft', 'in_progress', 'success', 'failed', 'stopped')),
    description varchar(1000),
    format varchar(8) NOT NULL CONSTRAINT log_exports_format_ck CHECK (format IN ('jsonl', 'parquet')),
    filters jsonb NOT NULL,
    requested_data jsonb NOT NULL,
    created_by uuid,
    attributed_user_id uuid,
    only_user_id uuid,
    total integer NOT NULL DEFAULT 0,
    run integer NOT NULL DEFAULT 0,
    until timestamptz(3),
    rows_done integer NOT NULL DEFAULT 0,
    bytes_done bigint NOT NULL DEFAULT 0,
    position jsonb,
    failure text,
    lease_owner varchar(64),
    lease_until timestamptz(3),
    finished_at timestamptz(3),
    deleted_at timestamptz(3),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT log_exports_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT log_exports_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  'CREATE INDEX log_exports_page_ix ON log_exports (workspace_id, created_at, id)',
  `CREATE INDEX log_exports_due_ix ON log_exports (lease_until) WHERE status = 'in_progress'`,
  `CREATE TABLE log_export_parts (
    export_id uuid NOT NULL,
    number integer NOT NULL,
    key text NOT NULL,
    bytes integer NOT NULL,
    rows integer NOT NULL,
    meta jsonb,
    CONSTRAINT log_export_parts_pk PRIMARY KEY (export_id, number),
    CONSTRAINT log_export_parts_export_fk FOREIGN KEY (export_id) REFERENCES log_exports (id)
  )`,
];

const DOWN = [
  'DROP TABLE log_export_parts',
  'DROP TABLE log_exports',
  'ALTER TABLE workspaces DROP COLUMN export_settings',
  'ALTER TABLE organisations DROP COLUMN export_settings',
  'DROP TABLE feedback',
  // Compressed bodies can't be read by what was there before.
  'DELETE FROM request_log_bodies',
  'ALTER TABLE request_log_bodies DROP COLUMN content, ADD COLUMN request bytea, ADD COLUMN response bytea',
  'DROP INDEX request_logs_metadata_ix, request_logs_failed_ix, request_logs_model_ix, request_logs_key_ix',
  'ALTER TABLE request_logs DROP COLUMN body_ref, DROP COLUMN prompt_id, DROP COLUMN prompt_slug',
];
