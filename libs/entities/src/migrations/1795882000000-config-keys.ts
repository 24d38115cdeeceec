import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys of a config are found and counted without reading all keys. */
export class ConfigKeys1795882000000 implements MigrationInterface {
  readonly name = 'ConfigKeys1795882000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX api_keys_default_config_ix ON api_keys (default_config_id)
       WHERE default_config_id IS NOT NULL AND status <> 'archived'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_default_config_ix');
  }
}
