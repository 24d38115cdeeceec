import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Gateways1795260000000 implements MigrationInterface {
  readonly name = 'Gateways1795260000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE gateways (
        id text CONSTRAINT gateways_pk PRIMARY KEY,
        version text NOT NULL,
        first_seen_at timestamptz(3) NOT NULL DEFAULT now(),
        last_seen_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE gateways');
  }
}
