import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EnforcedFeatures1795341000000 implements MigrationInterface {
  readonly name = 'EnforcedFeatures1795341000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE enforced_features (
        id smallint CONSTRAINT enforced_features_pk PRIMARY KEY CONSTRAINT enforced_features_id_ck CHECK (id = 1),
        disabled text NOT NULL
      )`);
    await runner.query(`INSERT INTO enforced_features (id, disabled) VALUES (1, '')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE enforced_features');
  }
}
