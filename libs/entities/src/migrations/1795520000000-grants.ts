import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who made a service key and with which standing, and the rank of the caller that last set the limits of a key, a workspace or a
 * policy. Limits of before: those of workspaces and policies count as set by the organisation, those of keys by a manager.
 */
export class Grants1795520000000 implements MigrationInterface {
  readonly name = 'Grants1795520000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE api_keys ADD COLUMN made_by uuid CONSTRAINT api_keys_made_by_fk REFERENCES users (id),
         ADD COLUMN bound_as varchar(24), ADD COLUMN limits_rank smallint NOT NULL DEFAULT 0`,
    );
    await runner.query(
      `UPDATE api_keys SET limits_rank = 2 WHERE rate_limits IS NOT NULL OR usage_limits IS NOT NULL
         OR default_config_id IS NOT NULL OR NOT allow_config_override`,
    );
    for (const table of ['workspaces', 'usage_limit_policies', 'rate_limit_policies']) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN limits_rank smallint NOT NULL DEFAULT 0`);
    }
    await runner.query(
      `UPDATE workspaces SET limits_rank = 4 WHERE rate_limits IS NOT NULL OR usage_limits IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['workspaces', 'usage_limit_policies', 'rate_limit_policies']) {
      await runner.query(`ALTER TABLE ${table} DROP COLUMN limits_rank`);
    }
    await runner.query(
      `ALTER TABLE api_keys DROP COLUMN made_by, DROP COLUMN bound_as, DROP COLUMN limits_rank`,
    );
  }
}
