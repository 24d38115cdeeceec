import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LedgerOnce1795430100000 implements MigrationInterface {
  readonly name = 'LedgerOnce1795430100000';

  async up(runner: QueryRunner): Promise<void> {
    // What is charged once, however often it is asked for (the results of a batch), and by which log record.
    await runner.query(
      `CREATE TABLE ledger_once (
        organisation_id uuid NOT NULL,
        name text NOT NULL,
        log_id uuid NOT NULL,
        CONSTRAINT ledger_once_pk PRIMARY KEY (organisation_id, name)
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ledger_once');
  }
}
