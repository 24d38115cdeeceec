import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Trusts whose tokens work once. */
export class OneTimeTokens1795830200000 implements MigrationInterface {
  readonly name = 'OneTimeTokens1795830200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE trusts ADD COLUMN require_jti_once boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE trusts DROP COLUMN require_jti_once`);
  }
}
