import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds passkeys to second factors, and the challenges that passkeys have answered. */
export class Passkeys1795750020000 implements MigrationInterface {
  readonly name = 'Passkeys1795750020000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE second_factors
         ALTER COLUMN sealed_secret DROP NOT NULL,
         ADD COLUMN kind varchar(16) NOT NULL DEFAULT 'totp',
         ADD COLUMN credential_id varchar(1366),
         ADD COLUMN public_key text,
         ADD COLUMN sign_count bigint`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX second_factors_credential_id_uq ON second_factors (credential_id)`,
    );
    await runner.query(
      `CREATE TABLE taken_challenges (
         challenge_hash char(64) CONSTRAINT taken_challenges_pk PRIMARY KEY,
         expires_at timestamptz(3) NOT NULL
       )`,
    );
    await runner.query(`CREATE INDEX taken_challenges_expires_at_ix ON taken_challenges (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE taken_challenges`);
    await runner.query(`DELETE FROM second_factors WHERE kind <> 'totp'`);
    await runner.query(
      `ALTER TABLE second_factors
         DROP COLUMN sign_count, DROP COLUMN public_key, DROP COLUMN credential_id, DROP COLUMN kind,
         ALTER COLUMN sealed_secret SET NOT NULL`,
    );
  }
}
