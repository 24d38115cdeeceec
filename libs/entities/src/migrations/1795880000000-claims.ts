import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links that sign the owner of an installation in once, and sessions that can change their organisation. */
export class Claims1795880000000 implements MigrationInterface {
  readonly name = 'Claims1795880000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE claims (
         user_id uuid NOT NULL CONSTRAINT claims_pk PRIMARY KEY CONSTRAINT claims_user_fk REFERENCES users,
         organisation_id uuid NOT NULL CONSTRAINT claims_organisation_fk REFERENCES organisations,
         token_hash char(64) NOT NULL,
         expires_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(
      `ALTER TABLE sessions
         ADD COLUMN by_claim boolean NOT NULL DEFAULT false,
         ADD COLUMN counts_everywhere boolean NOT NULL DEFAULT false`,
    );
    await runner.query('ALTER TABLE users ADD COLUMN password_generated boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN password_generated');
    await runner.query('ALTER TABLE sessions DROP COLUMN by_claim, DROP COLUMN counts_everywhere');
    await runner.query('DROP TABLE claims');
  }
}
