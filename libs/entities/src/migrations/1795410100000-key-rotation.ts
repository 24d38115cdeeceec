import type { MigrationInterface, QueryRunner } from 'typeorm';

export class KeyRotation1795410100000 implements MigrationInterface {
  readonly name = 'KeyRotation1795410100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_key_secrets ADD COLUMN sealed text');
    await runner.query('ALTER TABLE api_key_secrets ADD COLUMN warned_at timestamptz(3)');
    await runner.query(
      `CREATE INDEX api_key_secrets_transition_ix ON api_key_secrets (expires_at) WHERE state = 'transition'`,
    );
    await runner.query('ALTER TABLE api_keys ADD COLUMN rotation_warned_at timestamptz(3)');
    await runner.query(
      `CREATE INDEX api_keys_next_rotation_ix ON api_keys ((rotation_policy ->> 'next_rotation_at'))
       WHERE rotation_policy IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_next_rotation_ix');
    await runner.query('ALTER TABLE api_keys DROP COLUMN rotation_warned_at');
    await runner.query('DROP INDEX api_key_secrets_transition_ix');
    await runner.query('ALTER TABLE api_key_secrets DROP COLUMN warned_at');
    await runner.query('ALTER TABLE api_key_secrets DROP COLUMN sealed');
  }
}
