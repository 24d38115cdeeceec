import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Installation1795590000000 implements MigrationInterface {
  readonly name = 'Installation1795590000000';

  async up(runner: QueryRunner): Promise<void> {
    // The setup inserts the row, because only the setup has the key. It also does so for a database
    // that an older release has set up.
    await runner.query(
      `CREATE TABLE installation (
        id smallint NOT NULL,
        organisation_id uuid NOT NULL,
        set_up_at timestamptz NOT NULL DEFAULT now(),
        key_check text NOT NULL,
        CONSTRAINT installation_pk PRIMARY KEY (id),
        CONSTRAINT installation_one_row_ck CHECK (id = 1)
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE installation');
  }
}
