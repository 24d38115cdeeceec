import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets groups of identity providers give roles. */
export class SsoGroups1795790000000 implements MigrationInterface {
  readonly name = 'SsoGroups1795790000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sso_connections
         ADD COLUMN groups_claim varchar(255) NOT NULL DEFAULT 'groups',
         ADD COLUMN group_rules jsonb NOT NULL DEFAULT '[]',
         ADD COLUMN remove_mapped boolean NOT NULL DEFAULT false`,
    );
    await runner.query(
      `ALTER TABLE organisation_users ADD COLUMN role_source varchar(8) NOT NULL DEFAULT 'manual'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE organisation_users DROP COLUMN role_source`);
    await runner.query(
      `ALTER TABLE sso_connections DROP COLUMN groups_claim, DROP COLUMN group_rules, DROP COLUMN remove_mapped`,
    );
  }
}
