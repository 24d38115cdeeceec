import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeploymentsAndMore1795331000000 implements MigrationInterface {
  readonly name = 'DeploymentsAndMore1795331000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateways DROP COLUMN deployment_id');
    for (const table of [
      'batches',
      'organisation_properties',
      'workspace_exclusions',
      'plugins',
      'deployments',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}

const ROW = `version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;

const STATEMENTS = [
  `CREATE TABLE deployments (
    id uuid CONSTRAINT deployments_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    slug varchar(255) NOT NULL,
    name varchar(255) NOT NULL,
    type varchar(16) NOT NULL CONSTRAINT deployments_type_ck CHECK (type IN ('production', 'non_production')),
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT deployments_status_ck CHECK (status IN ('active', 'archived')),
    is_default boolean NOT NULL DEFAULT false,
    source_type varchar(16) NOT NULL
      CONSTRAINT deployments_source_type_ck CHECK (source_type IN ('ui', 'api', 'helm', 'terraform')),
    auth_settings jsonb NOT NULL DEFAULT '{}',
    workspaces_allowed uuid[],
    deployment_config jsonb,
    tags jsonb,
    client_auth_hash char(64) NOT NULL,
    masked_client_auth varchar(32) NOT NULL,
    registry_username varchar(255),
    sealed_registry_password text,
    connection_status varchar(16) NOT NULL DEFAULT 'unknown'
      CONSTRAINT deployments_connection_status_ck CHECK (connection_status IN ('healthy', 'unhealthy', 'unknown')),
    created_by uuid,
    ${ROW},
    CONSTRAINT deployments_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id)
  )`,
  `CREATE UNIQUE INDEX deployments_slug_uq ON deployments (organisation_id, slug) WHERE status <> 'archived'`,
  `CREATE UNIQUE INDEX deployments_default_uq ON deployments (organisation_id) WHERE is_default AND status = 'active'`,
  `CREATE INDEX deployments_page_ix ON deployments (organisation_id, created_at, id)`,
  `CREATE UNIQUE INDEX deployments_client_auth_hash_uq ON deployments (client_auth_hash)`,
  `ALTER TABLE gateways ADD COLUMN deployment_id uuid`,
  // Slugs of configs were made by us alone until now.
  `ALTER TABLE configs ALTER COLUMN slug TYPE varchar(255)`,
  `CREATE TABLE plugins (
    id uuid CONSTRAINT plugins_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    plugin_provider_id varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT plugins_status_ck CHECK (status IN ('active', 'archived')),
    sealed_credentials text,
    masked_credentials jsonb NOT NULL DEFAULT '{}',
    ${ROW},
    CONSTRAINT plugins_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id)
  )`,
  `CREATE UNIQUE INDEX plugins_provider_uq ON plugins (organisation_id, plugin_provider_id) WHERE status <> 'archived'`,
  `CREATE TABLE workspace_exclusions (
    workspace_id uuid NOT NULL,
    direction varchar(8) NOT NULL
      CONSTRAINT workspace_exclusions_direction_ck CHECK (direction IN ('input', 'output')),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT workspace_exclusions_pk PRIMARY KEY (workspace_id, direction),
    CONSTRAINT workspace_exclusions_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE TABLE organisation_properties (
    organisation_id uuid CONSTRAINT organisation_properties_pk PRIMARY KEY,
    api_key_metadata_schema jsonb,
    workspace_metadata_schema jsonb,
    request_metadata_schema jsonb,
    ${ROW},
    CONSTRAINT organisation_properties_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id)
  )`,
  `CREATE TABLE batches (
    id uuid CONSTRAINT batches_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    status varchar(32) NOT NULL,
    internal_output_file_id varchar(255),
    ${ROW},
    CONSTRAINT batches_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT batches_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE INDEX batches_page_ix ON batches (workspace_id, created_at, id)`,
];
