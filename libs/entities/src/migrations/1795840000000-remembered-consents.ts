import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which grants of OAuth were written without asking the user again. */
export class RememberedConsents1795840000000 implements MigrationInterface {
  readonly name = 'RememberedConsents1795840000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE oauth_consents ADD COLUMN remembered_from uuid`);
    await runner.query(`CREATE INDEX oauth_consents_remembered_from_ix ON oauth_consents (remembered_from)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE oauth_consents DROP COLUMN remembered_from`);
  }
}
