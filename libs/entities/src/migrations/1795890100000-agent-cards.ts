import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the cards that agent integrations had. */
export class AgentCards1795890100000 implements MigrationInterface {
  readonly name = 'AgentCards1795890100000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE agent_cards');
  }
}

const STATEMENTS = [
  `CREATE TABLE agent_cards (
         id uuid CONSTRAINT agent_cards_pk PRIMARY KEY,
         integration_id uuid NOT NULL
           CONSTRAINT agent_cards_integration_fk REFERENCES agent_integrations (id),
         number integer NOT NULL,
         card text NOT NULL,
         bytes integer NOT NULL,
         digest char(64) NOT NULL,
         source varchar(16) NOT NULL,
         signature_state varchar(16),
         difference jsonb,
         created_by uuid,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
  `CREATE UNIQUE INDEX agent_cards_number_uq ON agent_cards (integration_id, number)`,
];
