import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds MCP integrations that are HTTP services with an OpenAPI document. */
export class McpOpenapi1795872000000 implements MigrationInterface {
  readonly name = 'McpOpenapi1795872000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcp_openapi_documents');
    await runner.query('ALTER TABLE mcp_integrations DROP COLUMN kind');
  }
}

const STATEMENTS = [
  `ALTER TABLE mcp_integrations
     ADD COLUMN kind varchar(16) NOT NULL DEFAULT 'server'
       CONSTRAINT mcp_integrations_kind_ck CHECK (kind IN ('server', 'openapi'))`,
  `CREATE TABLE mcp_openapi_documents (
         integration_id uuid CONSTRAINT mcp_openapi_documents_pk PRIMARY KEY
           CONSTRAINT mcp_openapi_documents_integration_fk REFERENCES mcp_integrations (id),
         url varchar(2048),
         document text NOT NULL,
         digest char(64) NOT NULL,
         selection jsonb NOT NULL,
         skipped jsonb NOT NULL DEFAULT '[]',
         read_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
];
