import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ExportWorkersLost1795650000000 implements MigrationInterface {
  readonly name = 'ExportWorkersLost1795650000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE log_exports ADD COLUMN workers_lost integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE log_exports DROP COLUMN workers_lost`);
  }
}
