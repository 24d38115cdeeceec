import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds labels and health of agent integrations. */
export class AgentHealth1795890000000 implements MigrationInterface {
  readonly name = 'AgentHealth1795890000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_health');
    await runner.query(
      `ALTER TABLE agent_integrations DROP COLUMN tags, DROP COLUMN owner, DROP COLUMN support_url,
         DROP COLUMN data_classes, DROP COLUMN environment, DROP COLUMN health_state,
         DROP COLUMN health_error, DROP COLUMN health_since, DROP COLUMN health_checked_at,
         DROP COLUMN health_ms, DROP COLUMN health_failures, DROP COLUMN next_health_at`,
    );
  }
}

const STATEMENTS = [
  `ALTER TABLE agent_integrations
     ADD COLUMN tags jsonb,
     ADD COLUMN owner varchar(255),
     ADD COLUMN support_url varchar(2048),
     ADD COLUMN data_classes jsonb,
     ADD COLUMN environment varchar(64),
     ADD COLUMN health_state varchar(16) NOT NULL DEFAULT 'unknown'
       CONSTRAINT agent_integrations_health_state_ck
       CHECK (health_state IN ('healthy', 'degraded', 'down', 'unauthorised', 'unknown')),
     ADD COLUMN health_error varchar(1024),
     ADD COLUMN health_since timestamptz(3),
     ADD COLUMN health_checked_at timestamptz(3),
     ADD COLUMN health_ms integer,
     ADD COLUMN health_failures smallint NOT NULL DEFAULT 0,
     ADD COLUMN next_health_at timestamptz(3) NOT NULL DEFAULT now()`,
  `CREATE INDEX agent_integrations_next_health_ix ON agent_integrations (next_health_at)`,
  `CREATE TABLE agent_health (
         integration_id uuid CONSTRAINT agent_health_integration_fk REFERENCES agent_integrations (id),
         minute timestamptz(3),
         state varchar(16) NOT NULL,
         ms integer,
         CONSTRAINT agent_health_pk PRIMARY KEY (integration_id, minute)
       )`,
  `CREATE INDEX agent_health_minute_ix ON agent_health (minute)`,
];
