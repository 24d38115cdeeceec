import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LimitAlerts1795421000000 implements MigrationInterface {
  readonly name = 'LimitAlerts1795421000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of ALERTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['alert_deliveries', 'limit_alerts', 'alert_webhooks', 'budget_marks']) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}

const ALERTS = [
  // Budgets that were charged and whose status nobody has looked at since: written with the charge, so that no crash forgets one.
  `CREATE TABLE budget_marks (
    organisation_id uuid NOT NULL,
    counter text NOT NULL,
    marked_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT budget_marks_pk PRIMARY KEY (organisation_id, counter)
  )`,
  `CREATE TABLE alert_webhooks (
    id uuid CONSTRAINT alert_webhooks_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid,
    name varchar(255) NOT NULL,
    url varchar(2048) NOT NULL,
    sealed_secret text NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT alert_webhooks_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT alert_webhooks_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE INDEX alert_webhooks_page_ix ON alert_webhooks (organisation_id, created_at, id)`,
  // One row for each amount that a counter has reached in a period: what was told once is not told again.
  `CREATE TABLE limit_alerts (
    id uuid CONSTRAINT limit_alerts_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    counter text NOT NULL,
    period bigint NOT NULL,
    kind varchar(16) NOT NULL,
    amount bigint NOT NULL,
    event jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT limit_alerts_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id)
  )`,
  `CREATE UNIQUE INDEX limit_alerts_once_uq ON limit_alerts (organisation_id, counter, period, kind, amount)`,
  `CREATE TABLE alert_deliveries (
    id uuid CONSTRAINT alert_deliveries_pk PRIMARY KEY,
    alert_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    due_at timestamptz(3) NOT NULL DEFAULT now(),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT alert_deliveries_alert_fk FOREIGN KEY (alert_id) REFERENCES limit_alerts (id) ON DELETE CASCADE,
    CONSTRAINT alert_deliveries_webhook_fk FOREIGN KEY (webhook_id) REFERENCES alert_webhooks (id) ON DELETE CASCADE
  )`,
  `CREATE INDEX alert_deliveries_due_at_ix ON alert_deliveries (due_at)`,
];
