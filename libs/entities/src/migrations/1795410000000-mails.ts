import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Mails1795410000000 implements MigrationInterface {
  readonly name = 'Mails1795410000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mails (
        id uuid CONSTRAINT mails_pk PRIMARY KEY,
        organisation_id uuid NOT NULL CONSTRAINT mails_organisation_fk REFERENCES organisations (id),
        topic varchar(200) NOT NULL,
        recipient varchar(320) NOT NULL,
        sealed text NOT NULL,
        attempts smallint NOT NULL DEFAULT 0,
        due_at timestamptz(3) NOT NULL DEFAULT now(),
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query('CREATE UNIQUE INDEX mails_topic_uq ON mails (topic, recipient)');
    await runner.query('CREATE INDEX mails_due_at_ix ON mails (due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mails');
  }
}
