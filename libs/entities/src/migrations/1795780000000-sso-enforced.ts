import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets connections be the only way in for their domains. */
export class SsoEnforced1795780000000 implements MigrationInterface {
  readonly name = 'SsoEnforced1795780000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sso_connections ADD COLUMN enforced boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sso_connections DROP COLUMN enforced`);
  }
}
