import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Repricings1795423000000 implements MigrationInterface {
  readonly name = 'Repricings1795423000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE repricings (
        id uuid CONSTRAINT repricings_pk PRIMARY KEY,
        organisation_id uuid NOT NULL,
        status varchar(16) NOT NULL
          CONSTRAINT repricings_status_ck CHECK (status IN ('previewing', 'previewed', 'applying', 'applied')),
        start_time timestamptz(3) NOT NULL,
        end_time timestamptz(3) NOT NULL,
        provider text,
        model text,
        cursor_time timestamptz(3),
        cursor_id uuid,
        report jsonb NOT NULL,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT repricings_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id)
      )`);
    await runner.query('CREATE INDEX repricings_page_ix ON repricings (organisation_id, created_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE repricings');
  }
}
