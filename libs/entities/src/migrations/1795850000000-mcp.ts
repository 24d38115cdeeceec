import type { MigrationInterface, QueryRunner } from 'typeorm';

const ROW = `version integer NOT NULL DEFAULT 1,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;

/** Adds upstream MCP servers, their capabilities, their instances in workspaces, and connections of users. */
export class Mcp1795850000000 implements MigrationInterface {
  readonly name = 'Mcp1795850000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...INTEGRATIONS, ...SERVERS]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE mcp_connections, mcp_server_users, mcp_server_capabilities, mcp_servers,
         mcp_capabilities, mcp_integration_workspaces, mcp_integrations`,
    );
  }
}

const INTEGRATIONS = [
  `CREATE TABLE mcp_integrations (
         id uuid CONSTRAINT mcp_integrations_pk PRIMARY KEY,
         organisation_id uuid NOT NULL
           CONSTRAINT mcp_integrations_organisation_fk REFERENCES organisations (id),
         workspace_id uuid CONSTRAINT mcp_integrations_workspace_fk REFERENCES workspaces (id),
         slug varchar(255) NOT NULL,
         name varchar(255) NOT NULL,
         description text,
         status varchar(16) NOT NULL DEFAULT 'active'
           CONSTRAINT mcp_integrations_status_ck CHECK (status IN ('active', 'archived')),
         owner_id varchar(255),
         url varchar(2048) NOT NULL,
         transport varchar(16) NOT NULL,
         auth_type varchar(32) NOT NULL,
         configurations jsonb NOT NULL DEFAULT '{}',
         sealed_auth text,
         masked_auth jsonb NOT NULL DEFAULT '{}',
         secret_mappings jsonb,
         global_workspace_access jsonb,
         approval_mode varchar(16) NOT NULL,
         on_change varchar(16) NOT NULL DEFAULT 'block',
         prices jsonb,
         timeout_ms integer,
         server_info jsonb,
         approved_server jsonb,
         sync_status varchar(16) NOT NULL DEFAULT 'pending',
         last_synced_at timestamptz(3),
         sync_error varchar(1024),
         next_sync_at timestamptz(3) NOT NULL DEFAULT now(),
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX mcp_integrations_slug_uq ON mcp_integrations (organisation_id, slug)
     WHERE status <> 'archived'`,
  `CREATE INDEX mcp_integrations_page_ix ON mcp_integrations (organisation_id, created_at, id)`,
  `CREATE INDEX mcp_integrations_workspace_id_ix ON mcp_integrations (workspace_id)`,
  `CREATE INDEX mcp_integrations_next_sync_ix ON mcp_integrations (next_sync_at)`,
  `CREATE INDEX mcp_integrations_secret_mappings_ix ON mcp_integrations
     USING gin (secret_mappings jsonb_path_ops) WHERE secret_mappings IS NOT NULL`,
  `CREATE TABLE mcp_integration_workspaces (
         id uuid CONSTRAINT mcp_integration_workspaces_pk PRIMARY KEY,
         integration_id uuid NOT NULL
           CONSTRAINT mcp_integration_workspaces_integration_fk REFERENCES mcp_integrations (id),
         workspace_id uuid NOT NULL
           CONSTRAINT mcp_integration_workspaces_workspace_fk REFERENCES workspaces (id),
         enabled boolean NOT NULL,
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX mcp_integration_workspaces_uq
     ON mcp_integration_workspaces (integration_id, workspace_id)`,
  `CREATE INDEX mcp_integration_workspaces_workspace_id_ix ON mcp_integration_workspaces (workspace_id)`,
  `CREATE TABLE mcp_capabilities (
         id uuid CONSTRAINT mcp_capabilities_pk PRIMARY KEY,
         integration_id uuid NOT NULL
           CONSTRAINT mcp_capabilities_integration_fk REFERENCES mcp_integrations (id),
         type varchar(32) NOT NULL CONSTRAINT mcp_capabilities_type_ck
           CHECK (type IN ('tool', 'prompt', 'resource', 'resource_template', 'server')),
         name text NOT NULL,
         name_digest char(64) NOT NULL,
         position integer NOT NULL,
         definition jsonb NOT NULL,
         digest char(64) NOT NULL,
         approved jsonb,
         state varchar(16) NOT NULL,
         findings jsonb NOT NULL DEFAULT '[]',
         enabled boolean NOT NULL DEFAULT true,
         gone_at timestamptz(3),
         decided_by varchar(255),
         decided_at timestamptz(3),
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX mcp_capabilities_name_uq ON mcp_capabilities (integration_id, type, name_digest)`,
];

const SERVERS = [
  `CREATE TABLE mcp_servers (
         id uuid CONSTRAINT mcp_servers_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT mcp_servers_organisation_fk REFERENCES organisations (id),
         workspace_id uuid NOT NULL CONSTRAINT mcp_servers_workspace_fk REFERENCES workspaces (id),
         integration_id uuid NOT NULL
           CONSTRAINT mcp_servers_integration_fk REFERENCES mcp_integrations (id),
         slug varchar(50) NOT NULL,
         name varchar(255) NOT NULL,
         description varchar(500),
         status varchar(16) NOT NULL DEFAULT 'active'
           CONSTRAINT mcp_servers_status_ck CHECK (status IN ('active', 'archived')),
         owner_id varchar(255),
         default_user_access varchar(8) NOT NULL DEFAULT 'allow',
         access_rules jsonb NOT NULL DEFAULT '[]',
         default_effect varchar(8) NOT NULL DEFAULT 'allow',
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX mcp_servers_slug_uq ON mcp_servers (workspace_id, slug) WHERE status <> 'archived'`,
  `CREATE INDEX mcp_servers_page_ix ON mcp_servers (workspace_id, created_at, id)`,
  `CREATE INDEX mcp_servers_organisation_id_ix ON mcp_servers (organisation_id)`,
  `CREATE INDEX mcp_servers_integration_id_ix ON mcp_servers (integration_id)`,
  `CREATE TABLE mcp_server_capabilities (
         server_id uuid CONSTRAINT mcp_server_capabilities_server_fk REFERENCES mcp_servers (id),
         capability_id uuid
           CONSTRAINT mcp_server_capabilities_capability_fk REFERENCES mcp_capabilities (id),
         enabled boolean NOT NULL,
         CONSTRAINT mcp_server_capabilities_pk PRIMARY KEY (server_id, capability_id)
       )`,
  `CREATE INDEX mcp_server_capabilities_capability_id_ix ON mcp_server_capabilities (capability_id)`,
  `CREATE TABLE mcp_server_users (
         server_id uuid CONSTRAINT mcp_server_users_server_fk REFERENCES mcp_servers (id),
         user_id uuid CONSTRAINT mcp_server_users_user_fk REFERENCES users (id),
         enabled boolean NOT NULL,
         CONSTRAINT mcp_server_users_pk PRIMARY KEY (server_id, user_id)
       )`,
  `CREATE INDEX mcp_server_users_user_id_ix ON mcp_server_users (user_id)`,
  `CREATE TABLE mcp_connections (
         id uuid CONSTRAINT mcp_connections_pk PRIMARY KEY,
         organisation_id uuid NOT NULL
           CONSTRAINT mcp_connections_organisation_fk REFERENCES organisations (id),
         server_id uuid NOT NULL CONSTRAINT mcp_connections_server_fk REFERENCES mcp_servers (id),
         user_id uuid NOT NULL CONSTRAINT mcp_connections_user_fk REFERENCES users (id),
         sealed_tokens text,
         status varchar(16) NOT NULL CONSTRAINT mcp_connections_status_ck
           CHECK (status IN ('connected', 'needs_consent', 'needs_scope', 'revoked', 'error')),
         issuer varchar(2048),
         scopes jsonb NOT NULL DEFAULT '[]',
         expires_at timestamptz(3),
         last_used_at timestamptz(3),
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX mcp_connections_user_uq ON mcp_connections (server_id, user_id)`,
  `CREATE INDEX mcp_connections_organisation_id_ix ON mcp_connections (organisation_id)`,
  `CREATE INDEX mcp_connections_user_id_ix ON mcp_connections (user_id)`,
];
