import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IdempotentRequests1795610000000 implements MigrationInterface {
  readonly name = 'IdempotentRequests1795610000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE idempotent_requests (
        scope varchar(43) NOT NULL,
        organisation_id uuid NOT NULL,
        fingerprint varchar(43) NOT NULL,
        token varchar(32) NOT NULL,
        lease_until timestamptz(3) NOT NULL,
        is_carried_out boolean NOT NULL DEFAULT false,
        sealed_response text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT idempotent_requests_pk PRIMARY KEY (scope),
        CONSTRAINT idempotent_requests_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id)
      )`,
    );
    await runner.query(
      'CREATE INDEX idempotent_requests_organisation_ix ON idempotent_requests (organisation_id, created_at)',
    );
    await runner.query('CREATE INDEX idempotent_requests_created_at_ix ON idempotent_requests (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_requests');
  }
}
