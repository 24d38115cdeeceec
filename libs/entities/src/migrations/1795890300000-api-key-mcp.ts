import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the MCP servers and tools to which a key is restricted. */
export class ApiKeyMcp1795890300000 implements MigrationInterface {
  readonly name = 'ApiKeyMcp1795890300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN mcp jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN mcp');
  }
}
