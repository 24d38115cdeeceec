import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the version and the time of the last update to clients of the OAuth server, for the etags of the routes of administrators. */
export class OauthClientVersions1795830000000 implements MigrationInterface {
  readonly name = 'OauthClientVersions1795830000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE oauth_clients ADD COLUMN version integer NOT NULL DEFAULT 1,
         ADD COLUMN last_updated_at timestamptz(3) NOT NULL DEFAULT now()`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE oauth_clients DROP COLUMN version, DROP COLUMN last_updated_at`);
  }
}
