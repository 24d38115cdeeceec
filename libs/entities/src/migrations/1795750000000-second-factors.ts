import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds authenticator apps, recovery codes, logins that wait for a factor, and wrong codes of a user. */
export class SecondFactors1795750000000 implements MigrationInterface {
  readonly name = 'SecondFactors1795750000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE second_factors (
         id uuid CONSTRAINT second_factors_pk PRIMARY KEY,
         user_id uuid NOT NULL CONSTRAINT second_factors_user_fk REFERENCES users (id),
         organisation_id uuid CONSTRAINT second_factors_organisation_fk REFERENCES organisations (id),
         name varchar(255) NOT NULL,
         sealed_secret text NOT NULL,
         last_step integer,
         confirmed_at timestamptz(3),
         last_used_at timestamptz(3),
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(
      `CREATE TABLE recovery_codes (
         code_hash char(64) CONSTRAINT recovery_codes_pk PRIMARY KEY,
         user_id uuid NOT NULL CONSTRAINT recovery_codes_user_fk REFERENCES users (id),
         organisation_id uuid CONSTRAINT recovery_codes_organisation_fk REFERENCES organisations (id),
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(
      `CREATE TABLE login_challenges (
         token_hash char(64) CONSTRAINT login_challenges_pk PRIMARY KEY,
         user_id uuid NOT NULL CONSTRAINT login_challenges_user_fk REFERENCES users (id),
         organisation_id uuid NOT NULL CONSTRAINT login_challenges_organisation_fk REFERENCES organisations (id),
         attempts integer NOT NULL DEFAULT 0,
         expires_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    for (const table of ['second_factors', 'recovery_codes', 'login_challenges'])
      await runner.query(`CREATE INDEX ${table}_user_id_ix ON ${table} (user_id)`);
    await runner.query(
      `ALTER TABLE users
         ADD COLUMN code_failures integer NOT NULL DEFAULT 0,
         ADD COLUMN code_failures_since timestamptz(3)`,
    );
    await runner.query(`ALTER TABLE sessions ADD COLUMN mfa varchar(16)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions DROP COLUMN mfa`);
    await runner.query(`ALTER TABLE users DROP COLUMN code_failures, DROP COLUMN code_failures_since`);
    for (const table of ['login_challenges', 'recovery_codes', 'second_factors'])
      await runner.query(`DROP TABLE ${table}`);
  }
}
