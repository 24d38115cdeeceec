import type { MigrationInterface, QueryRunner } from 'typeorm';

const CLIENTS = `CREATE TABLE oauth_clients (
  client_id varchar(64) CONSTRAINT oauth_clients_pk PRIMARY KEY,
  kind varchar(16) NOT NULL,
  organisation_id uuid CONSTRAINT oauth_clients_organisation_fk REFERENCES organisations (id),
  name varchar(255) NOT NULL,
  metadata jsonb NOT NULL,
  sealed_secret text,
  created_network varchar(64),
  last_used_at timestamptz(3),
  status varchar(16) NOT NULL DEFAULT 'active',
  created_at timestamptz(3) NOT NULL DEFAULT now()
)`;

const CONSENTS = `CREATE TABLE oauth_consents (
  id uuid CONSTRAINT oauth_consents_pk PRIMARY KEY,
  user_id uuid NOT NULL CONSTRAINT oauth_consents_user_fk REFERENCES users (id),
  client_id varchar(2048) NOT NULL,
  client_name varchar(255) NOT NULL,
  resource varchar(2048) NOT NULL,
  scopes jsonb NOT NULL,
  organisation_id uuid NOT NULL CONSTRAINT oauth_consents_organisation_fk REFERENCES organisations (id),
  workspace_id uuid CONSTRAINT oauth_consents_workspace_fk REFERENCES workspaces (id),
  last_used_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
)`;

const ARTIFACTS = `CREATE TABLE oauth_artifacts (
  id_hash char(64) CONSTRAINT oauth_artifacts_pk PRIMARY KEY,
  model varchar(32) NOT NULL,
  payload jsonb NOT NULL,
  grant_id uuid CONSTRAINT oauth_artifacts_grant_fk REFERENCES oauth_consents (id) ON DELETE CASCADE,
  user_code_hash char(64),
  client_id varchar(2048),
  user_id uuid CONSTRAINT oauth_artifacts_user_fk REFERENCES users (id),
  expires_at timestamptz(3) NOT NULL,
  consumed_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
)`;

const SIGNING_KEYS = `CREATE TABLE signing_keys (
  kid varchar(64) CONSTRAINT signing_keys_pk PRIMARY KEY,
  alg varchar(16) NOT NULL,
  public_jwk jsonb NOT NULL,
  sealed_private text NOT NULL,
  state varchar(16) NOT NULL,
  not_before timestamptz(3) NOT NULL,
  retired_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now()
)`;

const INDEXES = [
  `CREATE INDEX oauth_clients_network_ix ON oauth_clients (created_network, created_at)`,
  `CREATE INDEX oauth_clients_organisation_id_ix ON oauth_clients (organisation_id)`,
  `CREATE INDEX oauth_consents_user_ix ON oauth_consents (user_id, client_id, resource)`,
  `CREATE INDEX oauth_consents_organisation_ix ON oauth_consents (organisation_id, created_at, id)`,
  `CREATE INDEX oauth_consents_client_id_ix ON oauth_consents (client_id)`,
  `CREATE INDEX oauth_consents_workspace_id_ix ON oauth_consents (workspace_id)`,
  `CREATE INDEX oauth_consents_expires_at_ix ON oauth_consents (expires_at)`,
  `CREATE INDEX oauth_artifacts_grant_id_ix ON oauth_artifacts (grant_id)`,
  `CREATE UNIQUE INDEX oauth_artifacts_user_code_hash_uq ON oauth_artifacts (user_code_hash)`,
  `CREATE INDEX oauth_artifacts_user_id_ix ON oauth_artifacts (user_id)`,
  `CREATE INDEX oauth_artifacts_expires_at_ix ON oauth_artifacts (expires_at)`,
  `CREATE UNIQUE INDEX signing_keys_state_uq ON signing_keys (state) WHERE state IN ('next', 'current')`,
];

/** Adds the OAuth authorization server: clients, grants, codes and tokens, and keys that the installation signs with. */
export class Oauth1795730000000 implements MigrationInterface {
  readonly name = 'Oauth1795730000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [CLIENTS, CONSENTS, ARTIFACTS, SIGNING_KEYS, ...INDEXES])
      await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE signing_keys, oauth_artifacts, oauth_consents, oauth_clients`);
  }
}
