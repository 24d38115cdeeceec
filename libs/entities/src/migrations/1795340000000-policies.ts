import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Policies1795340000000 implements MigrationInterface {
  readonly name = 'Policies1795340000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of POLICIES) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['rate_limit_policies', 'usage_limit_policies']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}

const ROW = `version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;

const POLICIES = [
  `CREATE TABLE usage_limit_policies (
    id uuid CONSTRAINT usage_limit_policies_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name varchar(255) NOT NULL,
    description varchar(500),
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT usage_limit_policies_status_ck CHECK (status IN ('active', 'archived')),
    conditions jsonb NOT NULL,
    group_by jsonb NOT NULL,
    type varchar(16) NOT NULL,
    credit_limit double precision NOT NULL,
    alert_threshold double precision,
    periodic_reset varchar(16),
    periodic_reset_days integer,
    next_usage_reset_at timestamptz(3),
    last_reset_at timestamptz(3),
    ${ROW},
    CONSTRAINT usage_limit_policies_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT usage_limit_policies_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE INDEX usage_limit_policies_page_ix ON usage_limit_policies (workspace_id, created_at, id)`,
  `CREATE INDEX usage_limit_policies_organisation_ix ON usage_limit_policies (organisation_id, created_at, id)`,
  `CREATE TABLE rate_limit_policies (
    id uuid CONSTRAINT rate_limit_policies_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    name varchar(255) NOT NULL,
    description varchar(500),
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT rate_limit_policies_status_ck CHECK (status IN ('active', 'archived')),
    conditions jsonb NOT NULL,
    group_by jsonb NOT NULL,
    target varchar(16) NOT NULL,
    type varchar(16) NOT NULL,
    unit varchar(8) NOT NULL,
    value double precision NOT NULL,
    ${ROW},
    CONSTRAINT rate_limit_policies_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT rate_limit_policies_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE INDEX rate_limit_policies_page_ix ON rate_limit_policies (workspace_id, created_at, id)`,
  `CREATE INDEX rate_limit_policies_organisation_ix ON rate_limit_policies (organisation_id, created_at, id)`,
];
