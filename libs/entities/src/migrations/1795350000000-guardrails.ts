import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Guardrails1795350000000 implements MigrationInterface {
  readonly name = 'Guardrails1795350000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organisations DROP COLUMN defaults');
    for (const table of ['guardrail_versions', 'guardrails']) await runner.query(`DROP TABLE ${table}`);
  }
}

const STATEMENTS = [
  `CREATE TABLE guardrails (
    id uuid CONSTRAINT guardrails_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid,
    slug varchar(255) NOT NULL,
    name varchar(255) NOT NULL,
    target varchar(16) NOT NULL CONSTRAINT guardrails_target_ck CHECK (target IN ('llm', 'mcp_tools')),
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT guardrails_status_ck CHECK (status IN ('active', 'archived')),
    current_version_id uuid NOT NULL,
    owner_id uuid,
    updated_by uuid,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT guardrails_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT guardrails_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE UNIQUE INDEX guardrails_slug_uq ON guardrails (organisation_id, slug)`,
  `CREATE INDEX guardrails_page_ix ON guardrails (organisation_id, workspace_id, created_at, id)`,
  `CREATE TABLE guardrail_versions (
    id uuid CONSTRAINT guardrail_versions_pk PRIMARY KEY,
    guardrail_id uuid NOT NULL,
    number integer NOT NULL,
    checks json NOT NULL,
    actions json NOT NULL,
    sealed_secrets text,
    created_by uuid,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT guardrail_versions_guardrail_fk FOREIGN KEY (guardrail_id) REFERENCES guardrails (id)
  )`,
  `CREATE UNIQUE INDEX guardrail_versions_number_uq ON guardrail_versions (guardrail_id, number)`,
  `ALTER TABLE organisations ADD COLUMN defaults jsonb NOT NULL DEFAULT '{}'`,
];
