import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds versions, tags and health of MCP integrations. */
export class McpIntegrationVersions1795873200000 implements MigrationInterface {
  readonly name = 'McpIntegrationVersions1795873200000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcp_health, mcp_integration_versions');
    await runner.query(
      `ALTER TABLE mcp_integrations DROP COLUMN tags, DROP COLUMN owner, DROP COLUMN support_url,
         DROP COLUMN data_classes, DROP COLUMN environment, DROP COLUMN health_state,
         DROP COLUMN health_error, DROP COLUMN health_since, DROP COLUMN health_checked_at,
         DROP COLUMN health_ms, DROP COLUMN health_failures, DROP COLUMN next_health_at`,
    );
  }
}

const STATEMENTS = [
  `ALTER TABLE mcp_integrations
     ADD COLUMN tags jsonb,
     ADD COLUMN owner varchar(255),
     ADD COLUMN support_url varchar(2048),
     ADD COLUMN data_classes jsonb,
     ADD COLUMN environment varchar(64),
     ADD COLUMN health_state varchar(16) NOT NULL DEFAULT 'unknown'
       CONSTRAINT mcp_integrations_health_state_ck
       CHECK (health_state IN ('healthy', 'degraded', 'down', 'unauthorised', 'unknown')),
     ADD COLUMN health_error varchar(1024),
     ADD COLUMN health_since timestamptz(3),
     ADD COLUMN health_checked_at timestamptz(3),
     ADD COLUMN health_ms integer,
     ADD COLUMN health_failures smallint NOT NULL DEFAULT 0,
     ADD COLUMN next_health_at timestamptz(3) NOT NULL DEFAULT now()`,
  `CREATE INDEX mcp_integrations_next_health_ix ON mcp_integrations (next_health_at)`,
  `CREATE TABLE mcp_integration_versions (
         id uuid CONSTRAINT mcp_integration_versions_pk PRIMARY KEY,
         integration_id uuid NOT NULL
           CONSTRAINT mcp_integration_versions_integration_fk REFERENCES mcp_integrations (id),
         number integer NOT NULL,
         content jsonb NOT NULL,
         created_by uuid,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
  `CREATE UNIQUE INDEX mcp_integration_versions_number_uq
     ON mcp_integration_versions (integration_id, number)`,
  `CREATE TABLE mcp_health (
         integration_id uuid CONSTRAINT mcp_health_integration_fk REFERENCES mcp_integrations (id),
         minute timestamptz(3),
         state varchar(16) NOT NULL,
         ms integer,
         CONSTRAINT mcp_health_pk PRIMARY KEY (integration_id, minute)
       )`,
  `CREATE INDEX mcp_health_minute_ix ON mcp_health (minute)`,
];
