import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Ledger1795380000000 implements MigrationInterface {
  readonly name = 'Ledger1795380000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of LEDGER) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workspaces DROP COLUMN last_reset_at');
    await runner.query('DROP TABLE usage_limit_policy_values');
    await runner.query('DROP TABLE ledger_balances');
  }
}

const LEDGER = [
  // What the log's charges add up to, by account. Amounts are signed: all accounts of an organisation add up to nothing.
  `CREATE TABLE ledger_balances (
    organisation_id uuid NOT NULL,
    account text NOT NULL,
    period bigint NOT NULL,
    cost bigint NOT NULL,
    tokens bigint NOT NULL,
    requests bigint NOT NULL,
    CONSTRAINT ledger_balances_pk PRIMARY KEY (organisation_id, account, period)
  )`,
  `CREATE TABLE usage_limit_policy_values (
    id uuid CONSTRAINT usage_limit_policy_values_pk PRIMARY KEY,
    policy_id uuid NOT NULL,
    value_key text NOT NULL,
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT usage_limit_policy_values_status_ck CHECK (status IN ('active', 'exhausted')),
    last_reset_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT usage_limit_policy_values_policy_fk FOREIGN KEY (policy_id) REFERENCES usage_limit_policies (id)
  )`,
  `CREATE UNIQUE INDEX usage_limit_policy_values_value_uq ON usage_limit_policy_values (policy_id, value_key)`,
  `ALTER TABLE workspaces ADD COLUMN last_reset_at timestamptz(3)`,
];
