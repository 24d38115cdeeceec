import type { MigrationInterface, QueryRunner } from 'typeorm';

const ROW = `
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;

const PLAIN_ROW = 'created_at timestamptz(3) NOT NULL DEFAULT now()';

const ORGANISATIONS = `
  CREATE TABLE organisations (
    id uuid CONSTRAINT organisations_pk PRIMARY KEY,
    name varchar(255) NOT NULL,
    slug varchar(255) NOT NULL,
    status varchar(16) NOT NULL DEFAULT 'active',
    settings jsonb NOT NULL DEFAULT '{}',
    data_plane_security_settings jsonb NOT NULL DEFAULT '{}',${ROW}
  );
  CREATE UNIQUE INDEX organisations_slug_uq ON organisations (slug);`;

const USERS = `
  CREATE TABLE users (
    id uuid CONSTRAINT users_pk PRIMARY KEY,
    email varchar(320) NOT NULL,
    first_name varchar(255) NOT NULL DEFAULT '',
    last_name varchar(255) NOT NULL DEFAULT '',
    password_hash varchar(255),
    status varchar(16) NOT NULL DEFAULT 'active',${ROW}
  );
  CREATE UNIQUE INDEX users_email_uq ON users (email);
  CREATE TABLE organisation_users (
    organisation_id uuid NOT NULL CONSTRAINT organisation_users_organisation_fk REFERENCES organisations (id),
    user_id uuid NOT NULL CONSTRAINT organisation_users_user_fk REFERENCES users (id),
    role varchar(16) NOT NULL,
    status varchar(16) NOT NULL DEFAULT 'active',${ROW},
    CONSTRAINT organisation_users_pk PRIMARY KEY (organisation_id, user_id)
  );
  CREATE INDEX organisation_users_user_id_ix ON organisation_users (user_id);`;

const WORKSPACES = `
  CREATE TABLE workspaces (
    id uuid CONSTRAINT workspaces_pk PRIMARY KEY,
    organisation_id uuid NOT NULL CONSTRAINT workspaces_organisation_fk REFERENCES organisations (id),
    slug varchar(255) NOT NULL,
    name varchar(128) NOT NULL,
    icon varchar(32),
    description varchar(500),
    status varchar(16) NOT NULL DEFAULT 'active',
    is_default boolean NOT NULL DEFAULT false,
    defaults jsonb NOT NULL DEFAULT '{}',
    settings jsonb NOT NULL DEFAULT '{}',
    data_plane_security_settings jsonb NOT NULL DEFAULT '{}',
    usage_limits jsonb,
    rate_limits jsonb,
    created_by uuid,
    creation_source varchar(16) NOT NULL DEFAULT 'api',${ROW}
  );
  CREATE UNIQUE INDEX workspaces_organisation_slug_uq ON workspaces (organisation_id, slug);
  CREATE INDEX workspaces_organisation_created_at_ix ON workspaces (organisation_id, created_at, id);
  CREATE TABLE workspace_users (
    workspace_id uuid NOT NULL CONSTRAINT workspace_users_workspace_fk REFERENCES workspaces (id),
    user_id uuid NOT NULL CONSTRAINT workspace_users_user_fk REFERENCES users (id),
    role varchar(16) NOT NULL,${ROW},
    CONSTRAINT workspace_users_pk PRIMARY KEY (workspace_id, user_id)
  );
  CREATE INDEX workspace_users_user_id_ix ON workspace_users (user_id);`;

const SESSIONS = `
  CREATE TABLE sessions (
    id uuid CONSTRAINT sessions_pk PRIMARY KEY,
    organisation_id uuid NOT NULL CONSTRAINT sessions_organisation_fk REFERENCES organisations (id),
    user_id uuid NOT NULL CONSTRAINT sessions_user_fk REFERENCES users (id),
    refresh_token_hash char(64) NOT NULL,
    previous_token_hash char(64),
    expires_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3),
    ${PLAIN_ROW}
  );
  CREATE INDEX sessions_user_id_ix ON sessions (user_id);
  CREATE UNIQUE INDEX sessions_refresh_token_hash_uq ON sessions (refresh_token_hash);
  CREATE INDEX sessions_previous_token_hash_ix ON sessions (previous_token_hash);
  CREATE INDEX sessions_expires_at_ix ON sessions (expires_at);`;

const API_KEYS = `
  CREATE TABLE api_keys (
    id uuid CONSTRAINT api_keys_pk PRIMARY KEY,
    type varchar(32) NOT NULL,
    organisation_id uuid NOT NULL CONSTRAINT api_keys_organisation_fk REFERENCES organisations (id),
    workspace_id uuid CONSTRAINT api_keys_workspace_fk REFERENCES workspaces (id),
    user_id uuid CONSTRAINT api_keys_user_fk REFERENCES users (id),
    name varchar(255) NOT NULL,
    description varchar(1024),
    status varchar(16) NOT NULL DEFAULT 'active',
    scopes text[] NOT NULL,
    rate_limits jsonb,
    usage_limits jsonb,
    default_metadata jsonb,
    default_config_id uuid,
    allow_config_override boolean NOT NULL DEFAULT true,
    alert_emails text[],
    expires_at timestamptz(3),
    creation_mode varchar(8) NOT NULL DEFAULT 'api',
    rotation_policy jsonb,
    last_rotated_at timestamptz(3),
    last_reset_at timestamptz(3),${ROW}
  );
  CREATE INDEX api_keys_organisation_created_at_ix ON api_keys (organisation_id, created_at, id);
  CREATE INDEX api_keys_workspace_created_at_ix ON api_keys (workspace_id, created_at, id);
  CREATE INDEX api_keys_user_id_ix ON api_keys (user_id);
  CREATE INDEX api_keys_expires_at_ix ON api_keys (expires_at);
  CREATE TABLE api_key_secrets (
    secret_hash char(64) CONSTRAINT api_key_secrets_pk PRIMARY KEY,
    api_key_id uuid NOT NULL CONSTRAINT api_key_secrets_api_key_fk REFERENCES api_keys (id) ON DELETE CASCADE,
    masked varchar(16) NOT NULL,
    state varchar(16) NOT NULL,
    expires_at timestamptz(3),
    ${PLAIN_ROW}
  );
  CREATE UNIQUE INDEX api_key_secrets_api_key_state_uq ON api_key_secrets (api_key_id, state);`;

const AUDIT_LOGS = `
  CREATE TABLE audit_logs (
    id uuid CONSTRAINT audit_logs_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid,
    user_type varchar(16) NOT NULL,
    user_id uuid,
    action varchar(32) NOT NULL,
    resource_type varchar(64) NOT NULL,
    resource_id varchar(255),
    before jsonb,
    after jsonb,
    method varchar(16) NOT NULL,
    uri varchar(2048) NOT NULL,
    request_id varchar(128),
    response_status_code integer NOT NULL,
    error_type varchar(64),
    client_ip varchar(64),
    user_agent varchar(512),
    ${PLAIN_ROW}
  );
  CREATE INDEX audit_logs_organisation_created_at_ix ON audit_logs (organisation_id, created_at, id);`;

const TABLES = [
  'audit_logs',
  'api_key_secrets',
  'api_keys',
  'sessions',
  'workspace_users',
  'workspaces',
  'organisation_users',
  'users',
  'organisations',
];

export class Identity1795200000000 implements MigrationInterface {
  readonly name = 'Identity1795200000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [ORGANISATIONS, USERS, WORKSPACES, SESSIONS, API_KEYS, AUDIT_LOGS])
      await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`DROP TABLE ${table}`);
  }
}
