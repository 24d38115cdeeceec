import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the scopes that a server wants beyond those of a connection. */
export class McpConnectionScopes1795873300000 implements MigrationInterface {
  readonly name = 'McpConnectionScopes1795873300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE mcp_connections ADD COLUMN wanted_scopes jsonb NOT NULL DEFAULT '[]'`);
    await runner.query('CREATE INDEX mcp_connections_expires_at_ix ON mcp_connections (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mcp_connections DROP COLUMN wanted_scopes');
    await runner.query('DROP INDEX mcp_connections_expires_at_ix');
  }
}
