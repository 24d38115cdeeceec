import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ChangeEvents1795250000000 implements MigrationInterface {
  readonly name = 'ChangeEvents1795250000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE change_events (
        sequence bigserial CONSTRAINT change_events_pk PRIMARY KEY,
        changed text[] NOT NULL,
        removed text[] NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE INDEX change_events_created_at_ix ON change_events (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE change_events');
  }
}
