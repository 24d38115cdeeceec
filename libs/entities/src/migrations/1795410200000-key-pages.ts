import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists of keys are counted from the index alone, and those of one status without the others. */
export class KeyPages1795410200000 implements MigrationInterface {
  readonly name = 'KeyPages1795410200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_organisation_created_at_ix');
    await runner.query(
      `CREATE INDEX api_keys_organisation_created_at_ix ON api_keys (organisation_id, created_at, id)
       INCLUDE (type, status)`,
    );
    await runner.query(
      `CREATE INDEX api_keys_organisation_status_ix ON api_keys (organisation_id, status, created_at, id)
       INCLUDE (type)`,
    );
    await runner.query('DROP INDEX api_keys_workspace_created_at_ix');
    await runner.query(
      `CREATE INDEX api_keys_workspace_created_at_ix ON api_keys (workspace_id, created_at, id)
       INCLUDE (organisation_id, type, status)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX api_keys_workspace_created_at_ix');
    await runner.query(
      'CREATE INDEX api_keys_workspace_created_at_ix ON api_keys (workspace_id, created_at, id)',
    );
    await runner.query('DROP INDEX api_keys_organisation_status_ix');
    await runner.query('DROP INDEX api_keys_organisation_created_at_ix');
    await runner.query(
      'CREATE INDEX api_keys_organisation_created_at_ix ON api_keys (organisation_id, created_at, id)',
    );
  }
}
