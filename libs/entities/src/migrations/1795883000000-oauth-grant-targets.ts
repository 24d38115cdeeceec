import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Paths of one server or agent, after the origin: its slug or id, below a workspace or not. */
const SINGLE = [
  ['mcp_servers', '/([\\w-]+/)?([\\w-]+)/mcp'],
  ['mcp_toolsets', '/([\\w-]+/)?([\\w-]+)/mcp'],
  ['agent_servers', '/(v1/agent|[\\w-]+/agents)/([\\w-]+)'],
] as const;

/** Binds grants of OAuth to the server, toolset, agent or workspace itself, not only to its address. */
export class OauthGrantTargets1795883000000 implements MigrationInterface {
  readonly name = 'OauthGrantTargets1795883000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE oauth_consents ADD COLUMN target_id uuid`);
    await runner.query(`CREATE INDEX oauth_consents_target_id_ix ON oauth_consents (target_id)`);
    await runner.query(
      `UPDATE oauth_consents SET target_id = workspace_id WHERE resource ~ '^https?://[^/]+(/[\\w-]+/-)?/mcp$'`,
    );
    for (const [table, path] of SINGLE)
      await runner.query(
        `UPDATE oauth_consents c SET target_id = t.id FROM ${table} t
         WHERE c.target_id IS NULL AND t.workspace_id = c.workspace_id AND t.status = 'active'
           AND (regexp_match(c.resource, '^https?://[^/]+${path}$'))[2] IN (t.slug, t.id::text)`,
      );
    // What is not the API itself and has no target names nothing; its clients sign in again.
    await runner.query(
      `DELETE FROM oauth_consents WHERE target_id IS NULL AND resource !~ '^https?://[^/]+(/v1|/mcp/admin)$'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE oauth_consents DROP COLUMN target_id`);
  }
}
