import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LedgerOnceAmounts1795640000000 implements MigrationInterface {
  readonly name = 'LedgerOnceAmounts1795640000000';

  async up(runner: QueryRunner): Promise<void> {
    // What each log record has charged of a name; null: all that there is to charge, as earlier versions did.
    await runner.query(
      `ALTER TABLE ledger_once
        DROP CONSTRAINT ledger_once_pk,
        ADD CONSTRAINT ledger_once_pk PRIMARY KEY (organisation_id, name, log_id),
        ADD COLUMN cost bigint,
        ADD COLUMN tokens bigint`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    // One record of a name stays, and is taken for all that there is to charge.
    await runner.query(
      `DELETE FROM ledger_once AS later USING ledger_once AS first
       WHERE later.organisation_id = first.organisation_id AND later.name = first.name AND later.log_id > first.log_id`,
    );
    await runner.query(
      `ALTER TABLE ledger_once
        DROP COLUMN tokens,
        DROP COLUMN cost,
        DROP CONSTRAINT ledger_once_pk,
        ADD CONSTRAINT ledger_once_pk PRIMARY KEY (organisation_id, name)`,
    );
  }
}
