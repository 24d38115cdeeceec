import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LedgerHolders1795430000000 implements MigrationInterface {
  readonly name = 'LedgerHolders1795430000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of HOLDERS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ledger_holders');
  }
}

const HOLDERS = [
  // Which part of a budget's balance each gateway has charged, so that a lost counter is rebuilt exactly while gateways go on.
  `CREATE TABLE ledger_holders (
    organisation_id uuid NOT NULL,
    account text NOT NULL,
    period bigint NOT NULL,
    holder text NOT NULL,
    cost bigint NOT NULL,
    tokens bigint NOT NULL,
    requests bigint NOT NULL,
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT ledger_holders_pk PRIMARY KEY (organisation_id, account, period, holder)
  )`,
  `CREATE INDEX ledger_holders_updated_at_ix ON ledger_holders (updated_at)`,
];
