import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds password reset links, passwords that are valid in one organisation only, and a flag for
 * invites that were sent by mail.
 */
export class Accounts1795520010000 implements MigrationInterface {
  readonly name = 'Accounts1795520010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE organisation_users ADD COLUMN password_hash varchar(255)`);
    await runner.query(`ALTER TABLE user_invites ADD COLUMN mailed boolean NOT NULL DEFAULT false`);
    await runner.query(
      `CREATE TABLE password_resets (
         token_hash char(64) CONSTRAINT password_resets_pk PRIMARY KEY,
         user_id uuid NOT NULL CONSTRAINT password_resets_user_fk REFERENCES users (id),
         organisation_id uuid CONSTRAINT password_resets_organisation_fk REFERENCES organisations (id),
         expires_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(`CREATE INDEX password_resets_user_id_ix ON password_resets (user_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE password_resets`);
    await runner.query(`ALTER TABLE user_invites DROP COLUMN mailed`);
    await runner.query(`ALTER TABLE organisation_users DROP COLUMN password_hash`);
  }
}
