import type { MigrationInterface, QueryRunner } from 'typeorm';

const ROW = `version integer NOT NULL DEFAULT 1,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;

/** Adds A2A agents, their skills and their instances in workspaces, and keys that sign cards. */
export class Agents1795870000000 implements MigrationInterface {
  readonly name = 'Agents1795870000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...INTEGRATIONS, ...SERVERS, ...CARD_KEYS]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP TABLE guardrail_agent_servers, agent_server_users, agent_server_skills, agent_servers, agent_skills,
         agent_integration_workspaces, agent_integrations`,
    );
    await runner.query(`DELETE FROM signing_keys WHERE purpose <> 'tokens'`);
    await runner.query('ALTER TABLE signing_keys DROP COLUMN purpose');
    await runner.query(
      `CREATE UNIQUE INDEX signing_keys_state_uq ON signing_keys (state) WHERE state IN ('next', 'current')`,
    );
  }
}

const INTEGRATIONS = [
  `CREATE TABLE agent_integrations (
         id uuid CONSTRAINT agent_integrations_pk PRIMARY KEY,
         organisation_id uuid NOT NULL
           CONSTRAINT agent_integrations_organisation_fk REFERENCES organisations (id),
         workspace_id uuid CONSTRAINT agent_integrations_workspace_fk REFERENCES workspaces (id),
         slug varchar(255) NOT NULL,
         name varchar(255) NOT NULL,
         description text,
         status varchar(16) NOT NULL DEFAULT 'active'
           CONSTRAINT agent_integrations_status_ck CHECK (status IN ('active', 'archived')),
         owner_id varchar(255),
         url varchar(2048) NOT NULL,
         auth_type varchar(32) NOT NULL,
         configurations jsonb NOT NULL DEFAULT '{}',
         sealed_auth text,
         masked_auth jsonb NOT NULL DEFAULT '{}',
         secret_mappings jsonb,
         global_workspace_access jsonb,
         approval_mode varchar(16) NOT NULL,
         on_change varchar(16) NOT NULL DEFAULT 'block',
         timeout_ms integer,
         sync_status varchar(16) NOT NULL DEFAULT 'pending',
         last_synced_at timestamptz(3),
         sync_error varchar(1024),
         next_sync_at timestamptz(3) NOT NULL DEFAULT now(),
         source varchar(16) NOT NULL,
         protocol varchar(16) NOT NULL DEFAULT 'auto',
         binding varchar(16) NOT NULL DEFAULT 'auto',
         push varchar(16) NOT NULL DEFAULT 'relay',
         allow_other_origin boolean NOT NULL DEFAULT false,
         trusted_keys jsonb,
         signature_state varchar(16),
         card text,
         endpoint jsonb,
         approved_endpoint jsonb,
         prices jsonb,
         messages_per_context_hour integer,
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX agent_integrations_slug_uq ON agent_integrations (organisation_id, slug)
     WHERE status <> 'archived'`,
  `CREATE INDEX agent_integrations_page_ix ON agent_integrations (organisation_id, created_at, id)`,
  `CREATE INDEX agent_integrations_workspace_id_ix ON agent_integrations (workspace_id)`,
  `CREATE INDEX agent_integrations_next_sync_ix ON agent_integrations (next_sync_at)`,
  `CREATE INDEX agent_integrations_secret_mappings_ix ON agent_integrations
     USING gin (secret_mappings jsonb_path_ops) WHERE secret_mappings IS NOT NULL`,
  `CREATE TABLE agent_integration_workspaces (
         id uuid CONSTRAINT agent_integration_workspaces_pk PRIMARY KEY,
         integration_id uuid NOT NULL
           CONSTRAINT agent_integration_workspaces_integration_fk REFERENCES agent_integrations (id),
         workspace_id uuid NOT NULL
           CONSTRAINT agent_integration_workspaces_workspace_fk REFERENCES workspaces (id),
         enabled boolean NOT NULL,
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX agent_integration_workspaces_uq
     ON agent_integration_workspaces (integration_id, workspace_id)`,
  `CREATE INDEX agent_integration_workspaces_workspace_id_ix ON agent_integration_workspaces (workspace_id)`,
  `CREATE TABLE agent_skills (
         id uuid CONSTRAINT agent_skills_pk PRIMARY KEY,
         integration_id uuid NOT NULL
           CONSTRAINT agent_skills_integration_fk REFERENCES agent_integrations (id),
         type varchar(32) NOT NULL CONSTRAINT agent_skills_type_ck CHECK (type IN ('skill', 'agent', 'extended')),
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
         is_public boolean NOT NULL DEFAULT true,
         is_extended boolean NOT NULL DEFAULT false,
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX agent_skills_name_uq ON agent_skills (integration_id, type, name_digest)`,
];

const SERVERS = [
  `CREATE TABLE agent_servers (
         id uuid CONSTRAINT agent_servers_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT agent_servers_organisation_fk REFERENCES organisations (id),
         workspace_id uuid NOT NULL CONSTRAINT agent_servers_workspace_fk REFERENCES workspaces (id),
         integration_id uuid NOT NULL
           CONSTRAINT agent_servers_integration_fk REFERENCES agent_integrations (id),
         slug varchar(50) NOT NULL,
         name varchar(255) NOT NULL,
         description varchar(500),
         status varchar(16) NOT NULL DEFAULT 'active'
           CONSTRAINT agent_servers_status_ck CHECK (status IN ('active', 'archived')),
         owner_id varchar(255),
         default_user_access varchar(8) NOT NULL DEFAULT 'allow',
         access_rules jsonb NOT NULL DEFAULT '[]',
         default_effect varchar(8) NOT NULL DEFAULT 'allow',
         listed varchar(16) NOT NULL DEFAULT 'workspace',
         ${ROW}
       )`,
  `CREATE UNIQUE INDEX agent_servers_slug_uq ON agent_servers (workspace_id, slug) WHERE status <> 'archived'`,
  `CREATE INDEX agent_servers_page_ix ON agent_servers (workspace_id, created_at, id)`,
  `CREATE INDEX agent_servers_organisation_id_ix ON agent_servers (organisation_id)`,
  `CREATE INDEX agent_servers_integration_id_ix ON agent_servers (integration_id)`,
  `CREATE TABLE agent_server_skills (
         server_id uuid CONSTRAINT agent_server_skills_server_fk REFERENCES agent_servers (id),
         capability_id uuid CONSTRAINT agent_server_skills_capability_fk REFERENCES agent_skills (id),
         enabled boolean NOT NULL,
         CONSTRAINT agent_server_skills_pk PRIMARY KEY (server_id, capability_id)
       )`,
  `CREATE INDEX agent_server_skills_capability_id_ix ON agent_server_skills (capability_id)`,
  `CREATE TABLE agent_server_users (
         server_id uuid CONSTRAINT agent_server_users_server_fk REFERENCES agent_servers (id),
         user_id uuid CONSTRAINT agent_server_users_user_fk REFERENCES users (id),
         enabled boolean NOT NULL,
         CONSTRAINT agent_server_users_pk PRIMARY KEY (server_id, user_id)
       )`,
  `CREATE INDEX agent_server_users_user_id_ix ON agent_server_users (user_id)`,
  `CREATE TABLE guardrail_agent_servers (
         guardrail_id uuid CONSTRAINT guardrail_agent_servers_guardrail_fk REFERENCES guardrails (id),
         agent_server_id uuid CONSTRAINT guardrail_agent_servers_server_fk REFERENCES agent_servers (id),
         id uuid NOT NULL,
         run_on text[] NOT NULL,
         capability_ids uuid[] NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         CONSTRAINT guardrail_agent_servers_pk PRIMARY KEY (guardrail_id, agent_server_id)
       )`,
  `CREATE INDEX guardrail_agent_servers_agent_server_id_ix ON guardrail_agent_servers (agent_server_id)`,
];

const CARD_KEYS = [
  `ALTER TABLE signing_keys ADD COLUMN purpose varchar(16) NOT NULL DEFAULT 'tokens'`,
  `DROP INDEX signing_keys_state_uq`,
  `CREATE UNIQUE INDEX signing_keys_state_uq ON signing_keys (purpose, state)
     WHERE state IN ('next', 'current')`,
];
