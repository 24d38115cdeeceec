import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Mappings of guardrails to MCP servers, and the verdicts of checks: those that failed or could not decide one by one, all of them in counts.
 * Both tables of verdicts are cut into the days of the request log, and go with them.
 */
export class GuardrailQuality1795450000000 implements MigrationInterface {
  readonly name = 'GuardrailQuality1795450000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['guardrail_check_counts', 'guardrail_verdicts', 'guardrail_mcp_servers'])
      await runner.query(`DROP TABLE ${table}`);
  }
}

const STATEMENTS = [
  `CREATE TABLE guardrail_mcp_servers (
    guardrail_id uuid NOT NULL,
    mcp_server_id uuid NOT NULL,
    id uuid NOT NULL,
    run_on text[] NOT NULL,
    capability_ids uuid[] NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT guardrail_mcp_servers_pk PRIMARY KEY (guardrail_id, mcp_server_id),
    CONSTRAINT guardrail_mcp_servers_guardrail_fk FOREIGN KEY (guardrail_id) REFERENCES guardrails (id)
  )`,
  `CREATE TABLE guardrail_verdicts (
    log_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    place smallint NOT NULL,
    organisation_id uuid NOT NULL,
    workspace_id uuid,
    user_id text,
    guardrail text NOT NULL,
    version_id text,
    check_id text NOT NULL,
    stage text NOT NULL,
    verdict text NOT NULL,
    denied boolean NOT NULL,
    duration_ms double precision NOT NULL,
    mark text,
    marked_at timestamptz(3),
    marked_by uuid,
    note text,
    CONSTRAINT guardrail_verdicts_pk PRIMARY KEY (log_id, created_at, place)
  ) PARTITION BY RANGE (created_at)`,
  `CREATE INDEX guardrail_verdicts_guardrail_ix
    ON guardrail_verdicts (organisation_id, guardrail, created_at DESC, log_id DESC, place DESC)`,
  `CREATE TABLE guardrail_check_counts (
    created_at timestamptz NOT NULL,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    guardrail text NOT NULL,
    check_id text NOT NULL,
    stage text NOT NULL,
    runs bigint NOT NULL,
    failed bigint NOT NULL,
    errored bigint NOT NULL,
    duration_ms double precision NOT NULL,
    CONSTRAINT guardrail_check_counts_pk
      PRIMARY KEY (organisation_id, guardrail, created_at, workspace_id, check_id, stage)
  ) PARTITION BY RANGE (created_at)`,
];
