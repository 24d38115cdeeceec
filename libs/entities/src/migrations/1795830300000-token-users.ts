import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Trusts whose tokens act for users on the control plane. */
export class TokenUsers1795830300000 implements MigrationInterface {
  readonly name = 'TokenUsers1795830300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE trusts ADD COLUMN link_users boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE trusts DROP COLUMN link_users`);
  }
}
