import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds toolsets: MCP servers of a workspace under one address. */
export class McpToolsets1795871000000 implements MigrationInterface {
  readonly name = 'McpToolsets1795871000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcp_toolsets');
  }
}

const STATEMENTS = [
  `CREATE TABLE mcp_toolsets (
         id uuid CONSTRAINT mcp_toolsets_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT mcp_toolsets_organisation_fk REFERENCES organisations (id),
         workspace_id uuid NOT NULL CONSTRAINT mcp_toolsets_workspace_fk REFERENCES workspaces (id),
         slug varchar(50) NOT NULL,
         name varchar(255) NOT NULL,
         description varchar(500),
         instructions text,
         status varchar(16) NOT NULL DEFAULT 'active'
           CONSTRAINT mcp_toolsets_status_ck CHECK (status IN ('active', 'archived')),
         owner_id varchar(255),
         mode varchar(16) NOT NULL DEFAULT 'list'
           CONSTRAINT mcp_toolsets_mode_ck CHECK (mode IN ('list', 'search')),
         failure varchar(16) NOT NULL DEFAULT 'partial'
           CONSTRAINT mcp_toolsets_failure_ck CHECK (failure IN ('partial', 'strict')),
         members jsonb NOT NULL DEFAULT '[]',
         version integer NOT NULL DEFAULT 1,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         last_updated_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
  `CREATE UNIQUE INDEX mcp_toolsets_slug_uq ON mcp_toolsets (workspace_id, slug) WHERE status <> 'archived'`,
  `CREATE INDEX mcp_toolsets_page_ix ON mcp_toolsets (workspace_id, created_at, id)`,
  `CREATE INDEX mcp_toolsets_organisation_id_ix ON mcp_toolsets (organisation_id)`,
];
