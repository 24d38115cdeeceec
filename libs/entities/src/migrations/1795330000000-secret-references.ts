import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SecretReferences1795330000000 implements MigrationInterface {
  readonly name = 'SecretReferences1795330000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX integrations_secret_mappings_ix');
    await runner.query('ALTER TABLE integrations DROP COLUMN secret_mappings');
    await runner.query('DROP TABLE secret_references');
  }
}

const STATEMENTS = [
  `CREATE TABLE secret_references (
    id uuid CONSTRAINT secret_references_pk PRIMARY KEY,
    organisation_id uuid NOT NULL,
    slug varchar(255) NOT NULL,
    name varchar(255) NOT NULL,
    description text,
    status varchar(16) NOT NULL DEFAULT 'active'
      CONSTRAINT secret_references_status_ck CHECK (status IN ('active', 'archived')),
    manager_type varchar(16) NOT NULL
      CONSTRAINT secret_references_manager_type_ck CHECK (manager_type IN ('cloud1_sm', 'cloud2_kv', 'vendor3_vault')),
    sealed_auth text,
    auth_config jsonb NOT NULL DEFAULT '{}',
    masked_auth jsonb NOT NULL DEFAULT '{}',
    secret_path varchar(1024) NOT NULL,
    secret_key varchar(255),
    allowed_workspaces uuid[],
    tags jsonb,
    created_by uuid,
    rotated_at timestamptz(3),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT secret_references_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id)
  )`,
  `CREATE UNIQUE INDEX secret_references_slug_uq ON secret_references (organisation_id, slug) WHERE status <> 'archived'`,
  `CREATE INDEX secret_references_page_ix ON secret_references (organisation_id, created_at, id)`,
  `ALTER TABLE integrations ADD COLUMN secret_mappings jsonb`,
  // Most integrations have none: who uses a reference is found without a walk over all of them.
  `CREATE INDEX integrations_secret_mappings_ix ON integrations USING gin (secret_mappings jsonb_path_ops)
    WHERE secret_mappings IS NOT NULL`,
];
