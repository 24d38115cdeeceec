import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tells sessions by password from those by single sign-on, for organisations that require a second factor. */
export class RequiredFactors1795750010000 implements MigrationInterface {
  readonly name = 'RequiredFactors1795750010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions ADD COLUMN by_password boolean NOT NULL DEFAULT true`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions DROP COLUMN by_password`);
  }
}
