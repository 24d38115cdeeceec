import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SkewedLogs1795560000000 implements MigrationInterface {
  readonly name = 'SkewedLogs1795560000000';

  async up(runner: QueryRunner): Promise<void> {
    // Records whose own time can't be theirs: when they first arrived, so that they are stored once, however often they come.
    await runner.query(
      `CREATE TABLE skewed_logs (
        id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT skewed_logs_pk PRIMARY KEY (id)
      )`,
    );
    await runner.query('CREATE INDEX skewed_logs_created_at_ix ON skewed_logs (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE skewed_logs');
  }
}
