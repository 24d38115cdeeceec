import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Resources1795220000000 implements MigrationInterface {
  readonly name = 'Resources1795220000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...INTEGRATIONS, ...PROVIDERS, ...CONFIGS]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'config_versions',
      'configs',
      'providers',
      'integration_workspaces',
      'integration_models',
      'integrations',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}

const ROW = `version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;

const INTEGRATIONS = [
  `CREATE TABLE integrations (
    id uuid CONSTRAINT integrations_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid,
    ai_provider_id varchar(64) NOT NULL,
    slug varchar(255) NOT NULL,
    name varchar(255) NOT NULL,
    description text,
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT integrations_status_ck CHECK (status IN ('active', 'archived')),
    is_virtual_key boolean NOT NULL DEFAULT false,
    sealed_credential text,
    masked_key varchar(32),
    configurations jsonb NOT NULL DEFAULT '{}',
    masked_configurations jsonb NOT NULL DEFAULT '{}',
    pricing_adjustments jsonb,
    tags jsonb,
    allow_all_models boolean NOT NULL DEFAULT true,
    global_workspace_access jsonb,
    ${ROW},
    CONSTRAINT integrations_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT integrations_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE UNIQUE INDEX integrations_slug_uq ON integrations (organisation_id, slug) WHERE status <> 'archived'`,
  `CREATE INDEX integrations_page_ix ON integrations (organisation_id, created_at, id)`,
  `CREATE INDEX integrations_workspace_id_ix ON integrations (workspace_id)`,
  `CREATE TABLE integration_models (
    id uuid CONSTRAINT integration_models_pk PRIMARY KEY,
    integration_id uuid NOT NULL,
    slug varchar(255) NOT NULL,
    enabled boolean NOT NULL,
    is_custom boolean NOT NULL DEFAULT false,
    is_finetune boolean NOT NULL DEFAULT false,
    base_model_slug varchar(255),
    custom_host varchar(2048),
    custom_headers jsonb NOT NULL DEFAULT '{}',
    pricing_config jsonb,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT integration_models_integration_fk FOREIGN KEY (integration_id) REFERENCES integrations (id)
  )`,
  `CREATE UNIQUE INDEX integration_models_slug_uq ON integration_models (integration_id, slug)`,
  `CREATE TABLE integration_workspaces (
    id uuid CONSTRAINT integration_workspaces_pk PRIMARY KEY,
    integration_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    enabled boolean NOT NULL,
    usage_limits jsonb,
    rate_limits jsonb,
    last_reset_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT integration_workspaces_integration_fk FOREIGN KEY (integration_id) REFERENCES integrations (id),
    CONSTRAINT integration_workspaces_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE UNIQUE INDEX integration_workspaces_workspace_uq ON integration_workspaces (integration_id, workspace_id)`,
  `CREATE INDEX integration_workspaces_workspace_id_ix ON integration_workspaces (workspace_id)`,
];

const PROVIDERS = [
  `CREATE TABLE providers (
    id uuid CONSTRAINT providers_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    slug varchar(255) NOT NULL,
    name varchar(255) NOT NULL,
    note text,
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT providers_status_ck CHECK (status IN ('active', 'exhausted', 'expired', 'archived')),
    is_virtual_key boolean NOT NULL DEFAULT false,
    usage_limits jsonb,
    rate_limits jsonb,
    expires_at timestamptz(3),
    tags jsonb,
    last_reset_at timestamptz(3),
    ${ROW},
    CONSTRAINT providers_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT providers_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id),
    CONSTRAINT providers_integration_fk FOREIGN KEY (integration_id) REFERENCES integrations (id)
  )`,
  `CREATE UNIQUE INDEX providers_slug_uq ON providers (workspace_id, slug) WHERE status <> 'archived'`,
  `CREATE INDEX providers_page_ix ON providers (workspace_id, created_at, id)`,
  `CREATE INDEX providers_integration_id_ix ON providers (integration_id)`,
];

const CONFIGS = [
  `CREATE TABLE configs (
    id uuid CONSTRAINT configs_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT configs_status_ck CHECK (status IN ('active', 'archived')),
    is_default boolean NOT NULL DEFAULT false,
    current_version_id uuid NOT NULL,
    owner_id uuid,
    updated_by uuid,
    ${ROW},
    CONSTRAINT configs_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT configs_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE UNIQUE INDEX configs_slug_uq ON configs (organisation_id, slug)`,
  `CREATE UNIQUE INDEX configs_default_uq ON configs (workspace_id) WHERE is_default AND status = 'active'`,
  `CREATE INDEX configs_page_ix ON configs (workspace_id, created_at, id)`,
  `CREATE TABLE config_versions (
    id uuid CONSTRAINT config_versions_pk PRIMARY KEY,
    config_id uuid NOT NULL,
    number integer NOT NULL,
    content json NOT NULL,
    created_by uuid,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT config_versions_config_fk FOREIGN KEY (config_id) REFERENCES configs (id)
  )`,
  `CREATE UNIQUE INDEX config_versions_number_uq ON config_versions (config_id, number)`,
];
