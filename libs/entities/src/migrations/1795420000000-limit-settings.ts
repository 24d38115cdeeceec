import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How policies act: strictly or not, without their counters, over which window, and bounds on requests at the same time. */
export class LimitSettings1795420000000 implements MigrationInterface {
  readonly name = 'LimitSettings1795420000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE usage_limit_policies ADD COLUMN enforcement varchar(8), ADD COLUMN on_outage varchar(8)`,
    );
    await runner.query(
      `ALTER TABLE rate_limit_policies ALTER COLUMN unit DROP NOT NULL, ADD COLUMN window_kind varchar(8),
         ADD COLUMN enforcement varchar(8), ADD COLUMN on_outage varchar(8)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM rate_limit_policies WHERE unit IS NULL`);
    await runner.query(
      `ALTER TABLE rate_limit_policies ALTER COLUMN unit SET NOT NULL, DROP COLUMN window_kind,
         DROP COLUMN enforcement, DROP COLUMN on_outage`,
    );
    await runner.query(`ALTER TABLE usage_limit_policies DROP COLUMN enforcement, DROP COLUMN on_outage`);
  }
}
