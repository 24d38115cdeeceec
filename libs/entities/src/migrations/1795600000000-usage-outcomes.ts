import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = [
  'usage_pending',
  'usage_rollups',
  'usage_metadata_rollups',
  'usage_overviews',
  'usage_users',
] as const;

/**
 * How requests ended, next to their status: success and error are told from both (`resultOf` of `@gw/contracts`). Sums that are there
 * already, or that a worker of an earlier release still writes, have an empty outcome and keep counting by their status alone: 2xx (and
 * 101) is a success, 400 and above an error. A constant default rewrites no table.
 */
export class UsageOutcomes1795600000000 implements MigrationInterface {
  readonly name = 'UsageOutcomes1795600000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`ALTER TABLE ${table} ADD COLUMN outcome text NOT NULL DEFAULT ''`);
  }

  /** Sums count by their status alone again. */
  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} DROP COLUMN outcome`);
  }
}
