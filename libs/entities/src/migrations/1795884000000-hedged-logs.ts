import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a request was made as a hedged pair. Logs that are there already, or that a worker of an earlier release still writes, count as
 * not hedged. The default rewrites no table.
 */
export class HedgedLogs1795884000000 implements MigrationInterface {
  readonly name = 'HedgedLogs1795884000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE request_logs ADD COLUMN hedged boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE request_logs DROP COLUMN hedged');
  }
}
