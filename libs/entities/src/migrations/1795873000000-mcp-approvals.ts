import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds calls of tools that wait for the approval of a person. */
export class McpApprovals1795873000000 implements MigrationInterface {
  readonly name = 'McpApprovals1795873000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcp_approvals');
  }
}

const STATEMENTS = [
  `CREATE TABLE mcp_approvals (
         id uuid CONSTRAINT mcp_approvals_pk PRIMARY KEY,
         organisation_id uuid NOT NULL
           CONSTRAINT mcp_approvals_organisation_fk REFERENCES organisations (id),
         workspace_id uuid NOT NULL CONSTRAINT mcp_approvals_workspace_fk REFERENCES workspaces (id),
         server_id uuid NOT NULL CONSTRAINT mcp_approvals_server_fk REFERENCES mcp_servers (id),
         tool text NOT NULL,
         principal varchar(64) NOT NULL,
         user_id varchar(255),
         api_key_id varchar(255),
         client_id text,
         trust_id varchar(255),
         arguments_digest varchar(64) NOT NULL,
         arguments_json text,
         status varchar(16) NOT NULL CONSTRAINT mcp_approvals_status_ck
           CHECK (status IN ('pending', 'approved', 'rejected', 'used')),
         expires_at timestamptz(3) NOT NULL,
         decided_by varchar(255),
         decided_at timestamptz(3),
         reason varchar(500),
         used_at timestamptz(3),
         rounds smallint NOT NULL DEFAULT 0,
         version integer NOT NULL DEFAULT 1,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         last_updated_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
  `CREATE INDEX mcp_approvals_call_ix ON mcp_approvals (server_id, principal, arguments_digest)`,
  `CREATE INDEX mcp_approvals_page_ix ON mcp_approvals (organisation_id, created_at, id)`,
  `CREATE INDEX mcp_approvals_pending_ix ON mcp_approvals (workspace_id, principal)
     WHERE status = 'pending'`,
  `CREATE INDEX mcp_approvals_expires_at_ix ON mcp_approvals (expires_at)`,
];
