import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LogQuarantine1795530000000 implements MigrationInterface {
  readonly name = 'LogQuarantine1795530000000';

  async up(runner: QueryRunner): Promise<void> {
    // Log records that could not be stored as they came. Plain bytes and text: whatever made a record fail must not fail here.
    await runner.query(
      `CREATE TABLE quarantined_logs (
        id bigint GENERATED ALWAYS AS IDENTITY,
        log_id varchar(64) NULL,
        workspace_id varchar(64) NULL,
        reason varchar(500) NOT NULL,
        meta bytea NOT NULL,
        request bytea NULL,
        response bytea NULL,
        bytes integer NOT NULL,
        stored_bare boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT quarantined_logs_pk PRIMARY KEY (id)
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE quarantined_logs');
  }
}
