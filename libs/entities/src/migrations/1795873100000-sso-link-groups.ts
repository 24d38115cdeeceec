import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the groups that an identity provider named at the last login, for rules about groups. */
export class SsoLinkGroups1795873100000 implements MigrationInterface {
  readonly name = 'SsoLinkGroups1795873100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sso_links ADD COLUMN groups jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sso_links DROP COLUMN groups');
  }
}
