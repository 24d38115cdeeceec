import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions of consoles in browsers, which have their secret in a cookie. */
export class CookieSessions1795830500000 implements MigrationInterface {
  readonly name = 'CookieSessions1795830500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sessions
         ADD COLUMN by_cookie boolean NOT NULL DEFAULT false,
         ADD COLUMN token_made_at timestamptz(3) NOT NULL DEFAULT now()`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN by_cookie, DROP COLUMN token_made_at');
  }
}
