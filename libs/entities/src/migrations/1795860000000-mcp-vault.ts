import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds connect links, clients at authorization servers, and pending revocations of upstream MCP servers. */
export class McpVault1795860000000 implements MigrationInterface {
  readonly name = 'McpVault1795860000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcp_connect_tickets, mcp_oauth_clients, mcp_revocations');
    await runner.query('ALTER TABLE mcp_connections DROP COLUMN lease, DROP COLUMN lease_ends_at');
  }
}

const STATEMENTS = [
  `ALTER TABLE mcp_connections
     ADD COLUMN lease uuid,
     ADD COLUMN lease_ends_at timestamptz(3)`,
  `CREATE TABLE mcp_connect_tickets (
         ticket_hash char(64) CONSTRAINT mcp_connect_tickets_pk PRIMARY KEY,
         server_id uuid NOT NULL
           CONSTRAINT mcp_connect_tickets_server_fk REFERENCES mcp_servers (id) ON DELETE CASCADE,
         user_id uuid NOT NULL
           CONSTRAINT mcp_connect_tickets_user_fk REFERENCES users (id) ON DELETE CASCADE,
         step varchar(16) NOT NULL CONSTRAINT mcp_connect_tickets_step_ck
           CHECK (step IN ('open', 'begun', 'ended')),
         state_hash char(64),
         sealed text,
         expires_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
  `CREATE UNIQUE INDEX mcp_connect_tickets_state_hash_uq ON mcp_connect_tickets (state_hash)`,
  `CREATE INDEX mcp_connect_tickets_server_id_ix ON mcp_connect_tickets (server_id)`,
  `CREATE INDEX mcp_connect_tickets_user_id_ix ON mcp_connect_tickets (user_id)`,
  `CREATE INDEX mcp_connect_tickets_expires_at_ix ON mcp_connect_tickets (expires_at)`,
  `CREATE TABLE mcp_oauth_clients (
         id uuid CONSTRAINT mcp_oauth_clients_pk PRIMARY KEY,
         integration_id uuid NOT NULL
           CONSTRAINT mcp_oauth_clients_integration_fk REFERENCES mcp_integrations (id),
         issuer_digest char(43) NOT NULL,
         sealed text NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
  `CREATE UNIQUE INDEX mcp_oauth_clients_issuer_uq ON mcp_oauth_clients (integration_id, issuer_digest)`,
  `CREATE TABLE mcp_revocations (
         id uuid CONSTRAINT mcp_revocations_pk PRIMARY KEY,
         organisation_id uuid NOT NULL,
         server_id uuid NOT NULL,
         user_id uuid NOT NULL,
         sealed_tokens text NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
];
