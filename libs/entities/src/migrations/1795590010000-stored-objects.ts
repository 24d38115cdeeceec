import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StoredObjects1795590010000 implements MigrationInterface {
  readonly name = 'StoredObjects1795590010000';

  async up(runner: QueryRunner): Promise<void> {
    // Files of exports with LOG_STORE=postgres. EXTERNAL: ranges are read without reading the whole; the files are compressed already.
    await runner.query(
      `CREATE TABLE stored_objects (
        key varchar(512) COLLATE "C" NOT NULL,
        bytes bytea STORAGE EXTERNAL NOT NULL,
        CONSTRAINT stored_objects_pk PRIMARY KEY (key)
      )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE stored_objects');
  }
}
