import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The rank of the caller that last set the limits of a provider or virtual key, and the other settings of a workspace. Limits of
 * providers from before count as set by a manager, settings of workspaces as set by anyone.
 */
export class SetBy1795630000000 implements MigrationInterface {
  readonly name = 'SetBy1795630000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE providers ADD COLUMN limits_rank smallint NOT NULL DEFAULT 0`);
    await runner.query(
      `UPDATE providers SET limits_rank = 2 WHERE rate_limits IS NOT NULL OR usage_limits IS NOT NULL
         OR expires_at IS NOT NULL`,
    );
    await runner.query(`ALTER TABLE workspaces ADD COLUMN set_by jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workspaces DROP COLUMN set_by`);
    await runner.query(`ALTER TABLE providers DROP COLUMN limits_rank`);
  }
}
