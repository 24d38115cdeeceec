import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds addresses of the key sets that sign cards of agents. */
export class AgentTrustedKeys1795890200000 implements MigrationInterface {
  readonly name = 'AgentTrustedKeys1795890200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE agent_integrations ADD COLUMN trusted_keys_url varchar(2048)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE agent_integrations DROP COLUMN trusted_keys_url');
  }
}
