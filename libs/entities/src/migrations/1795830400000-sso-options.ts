import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lengths of sessions, classes of authentication and names of claims of single sign-on. */
export class SsoOptions1795830400000 implements MigrationInterface {
  readonly name = 'SsoOptions1795830400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sso_connections
         ADD COLUMN max_session_ttl integer,
         ADD COLUMN acr_values jsonb NOT NULL DEFAULT '[]',
         ADD COLUMN prompt varchar(16),
         ADD COLUMN email_claim varchar(255),
         ADD COLUMN given_name_claim varchar(255),
         ADD COLUMN family_name_claim varchar(255)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sso_connections
         DROP COLUMN max_session_ttl, DROP COLUMN acr_values, DROP COLUMN prompt,
         DROP COLUMN email_claim, DROP COLUMN given_name_claim, DROP COLUMN family_name_claim`,
    );
  }
}
