import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the challenges of logins that have expired. */
export class LoginChallengeExpiry1795830100000 implements MigrationInterface {
  readonly name = 'LoginChallengeExpiry1795830100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX login_challenges_expires_at_ix ON login_challenges (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX login_challenges_expires_at_ix`);
  }
}
