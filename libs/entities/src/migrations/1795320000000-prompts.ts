import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Prompts1795320000000 implements MigrationInterface {
  readonly name = 'Prompts1795320000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...FOLDERS, ...PROMPTS, ...RELATIONS, EVERYBODYS_LABELS]) {
      await runner.query(statement);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [
      'prompt_shares',
      'prompt_labels',
      'prompt_versions',
      'prompts',
      'labels',
      'collections',
    ]) {
      await runner.query(`DROP TABLE ${table}`);
    }
  }
}

const ROW = `version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;

const FOLDERS = [
  `CREATE TABLE collections (
    id uuid CONSTRAINT collections_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    parent_id uuid,
    is_default boolean NOT NULL DEFAULT false,
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT collections_status_ck CHECK (status IN ('active', 'archived')),
    ${ROW},
    CONSTRAINT collections_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT collections_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id),
    CONSTRAINT collections_parent_fk FOREIGN KEY (parent_id) REFERENCES collections (id)
  )`,
  `CREATE UNIQUE INDEX collections_slug_uq ON collections (organisation_id, slug)`,
  `CREATE UNIQUE INDEX collections_default_uq ON collections (workspace_id) WHERE is_default`,
  `CREATE INDEX collections_page_ix ON collections (workspace_id, created_at, id)`,
  `CREATE INDEX collections_parent_id_ix ON collections (parent_id)`,
  `CREATE TABLE labels (
    id uuid CONSTRAINT labels_pk PRIMARY KEY,
    organisation_id uuid,
    workspace_id uuid,
    name varchar(255) NOT NULL,
    description text,
    color_code varchar(32),
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT labels_status_ck CHECK (status IN ('active', 'archived')),
    ${ROW},
    CONSTRAINT labels_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT labels_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE INDEX labels_page_ix ON labels (organisation_id, created_at, id)`,
  `CREATE INDEX labels_workspace_id_ix ON labels (workspace_id)`,
];

const PROMPTS = [
  `CREATE TABLE prompts (
    id uuid CONSTRAINT prompts_pk PRIMARY KEY,
    type varchar(16) NOT NULL CONSTRAINT prompts_type_ck CHECK (type IN ('prompt', 'partial')),
    organisation_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    collection_id uuid NOT NULL,
    slug varchar(64) NOT NULL,
    name varchar(255) NOT NULL,
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT prompts_status_ck CHECK (status IN ('active', 'archived')),
    published_version_id uuid NOT NULL,
    latest_version_id uuid NOT NULL,
    access_level varchar(16) NOT NULL DEFAULT 'workspace'
      CONSTRAINT prompts_access_level_ck CHECK (access_level IN ('workspace', 'workspaces', 'organisation')),
    shared_at timestamptz(3),
    shared_by uuid,
    forked_from_prompt_id uuid,
    forked_from_version_id uuid,
    updated_by uuid,
    ${ROW},
    CONSTRAINT prompts_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id),
    CONSTRAINT prompts_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id),
    CONSTRAINT prompts_collection_fk FOREIGN KEY (collection_id) REFERENCES collections (id)
  )`,
  `CREATE UNIQUE INDEX prompts_slug_uq ON prompts (organisation_id, slug)`,
  `CREATE INDEX prompts_page_ix ON prompts (workspace_id, type, created_at, id)`,
  `CREATE INDEX prompts_collection_id_ix ON prompts (collection_id)`,
  `CREATE INDEX prompts_shared_ix ON prompts (organisation_id) WHERE access_level <> 'workspace'`,
  `CREATE TABLE prompt_versions (
    id uuid CONSTRAINT prompt_versions_pk PRIMARY KEY,
    prompt_id uuid NOT NULL,
    number integer NOT NULL,
    template text NOT NULL,
    is_raw boolean NOT NULL DEFAULT false,
    description text,
    parameters json NOT NULL DEFAULT '{}',
    model varchar(255),
    virtual_key varchar(255),
    functions json,
    tools json,
    tool_choice json,
    metadata json,
    partial_ids uuid[] NOT NULL DEFAULT '{}',
    created_by uuid,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT prompt_versions_prompt_fk FOREIGN KEY (prompt_id) REFERENCES prompts (id)
  )`,
  `CREATE UNIQUE INDEX prompt_versions_number_uq ON prompt_versions (prompt_id, number)`,
];

const RELATIONS = [
  `CREATE TABLE prompt_labels (
    prompt_id uuid NOT NULL,
    label_id uuid NOT NULL,
    version_id uuid NOT NULL,
    CONSTRAINT prompt_labels_pk PRIMARY KEY (prompt_id, label_id),
    CONSTRAINT prompt_labels_prompt_fk FOREIGN KEY (prompt_id) REFERENCES prompts (id),
    CONSTRAINT prompt_labels_label_fk FOREIGN KEY (label_id) REFERENCES labels (id),
    CONSTRAINT prompt_labels_version_fk FOREIGN KEY (version_id) REFERENCES prompt_versions (id)
  )`,
  `CREATE INDEX prompt_labels_label_id_ix ON prompt_labels (label_id)`,
  `CREATE INDEX prompt_labels_version_id_ix ON prompt_labels (version_id)`,
  `CREATE TABLE prompt_shares (
    prompt_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    CONSTRAINT prompt_shares_pk PRIMARY KEY (prompt_id, workspace_id),
    CONSTRAINT prompt_shares_prompt_fk FOREIGN KEY (prompt_id) REFERENCES prompts (id),
    CONSTRAINT prompt_shares_workspace_fk FOREIGN KEY (workspace_id) REFERENCES workspaces (id)
  )`,
  `CREATE INDEX prompt_shares_workspace_id_ix ON prompt_shares (workspace_id)`,
];

/** Of every organisation, those to come included. */
const EVERYBODYS_LABELS = `INSERT INTO labels (id, name, color_code) VALUES
  ('01a20000-0000-7000-8000-000000000001', 'production', '#1a7f37'),
  ('01a20000-0000-7000-8000-000000000002', 'staging', '#bf8700'),
  ('01a20000-0000-7000-8000-000000000003', 'development', '#0969da')`;
