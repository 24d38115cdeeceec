import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets owners decide whether they log in by a connection, and bounds the age of logins at the provider. */
export class SsoOwners1795770000000 implements MigrationInterface {
  readonly name = 'SsoOwners1795770000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sso_connections
         ADD COLUMN admits_owners boolean NOT NULL DEFAULT false,
         ADD COLUMN max_age integer`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sso_connections DROP COLUMN admits_owners, DROP COLUMN max_age`);
  }
}
