import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LedgerOnceAges1795700000000 implements MigrationInterface {
  readonly name = 'LedgerOnceAges1795700000000';

  async up(runner: QueryRunner): Promise<void> {
    // When a record last named it, to the month. What is there counts from now.
    await runner.query('ALTER TABLE ledger_once ADD COLUMN named_at timestamptz NOT NULL DEFAULT now()');
    await runner.query('CREATE INDEX ledger_once_age_ix ON ledger_once (named_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX ledger_once_age_ix');
    await runner.query('ALTER TABLE ledger_once DROP COLUMN named_at');
  }
}
