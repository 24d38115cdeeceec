import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LedgerOnceEstimates1795670000000 implements MigrationInterface {
  readonly name = 'LedgerOnceEstimates1795670000000';

  async up(runner: QueryRunner): Promise<void> {
    // The charge that is given back when the name's true use is known, and the time of its log; null: the part is that true use.
    // A part without a price says nothing of the cost.
    await runner.query(
      `ALTER TABLE ledger_once
        ADD COLUMN estimate jsonb,
        ADD COLUMN priced boolean NOT NULL DEFAULT true`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger_once DROP COLUMN priced, DROP COLUMN estimate');
  }
}
