import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The log, and all sums: those that do not tell servers apart have null, as for their other dimensions. */
const TABLES = [
  'request_logs',
  'usage_pending',
  'usage_rollups',
  'usage_metadata_rollups',
  'usage_overviews',
  'usage_users',
] as const;
const COLUMNS = ['mcp_server', 'mcp_method', 'mcp_capability'] as const;

/**
 * Server, method and capability of requests to MCP servers. Records and sums that are there already, or that a worker of an earlier
 * release still writes, have none of them and count as before. Columns without a default rewrite no table.
 */
export class McpLogFields1795874000000 implements MigrationInterface {
  readonly name = 'McpLogFields1795874000000';

  async up(runner: QueryRunner): Promise<void> {
    const added = COLUMNS.map((column) => `ADD COLUMN ${column} text`).join(', ');
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} ${added}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const dropped = COLUMNS.map((column) => `DROP COLUMN ${column}`).join(', ');
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} ${dropped}`);
  }
}
