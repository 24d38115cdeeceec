import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds trusts: issuers whose tokens organisations accept instead of API keys. */
export class Trusts1795740000000 implements MigrationInterface {
  readonly name = 'Trusts1795740000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE trusts (
         id uuid CONSTRAINT trusts_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT trusts_organisation_fk REFERENCES organisations (id),
         name varchar(255) NOT NULL,
         kind varchar(16) NOT NULL,
         preset varchar(32),
         issuer varchar(2048) NOT NULL,
         issuer_digest char(64) NOT NULL,
         jwks_urls jsonb NOT NULL DEFAULT '[]',
         keys jsonb NOT NULL DEFAULT '[]',
         audiences jsonb NOT NULL DEFAULT '[]',
         algorithms jsonb NOT NULL DEFAULT '[]',
         conditions jsonb NOT NULL DEFAULT '[]',
         maps jsonb NOT NULL DEFAULT '[]',
         max_ttl integer NOT NULL,
         status varchar(16) NOT NULL DEFAULT 'active',
         version integer NOT NULL DEFAULT 1,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         last_updated_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(`CREATE UNIQUE INDEX trusts_name_uq ON trusts (organisation_id, name)`);
    await runner.query(`CREATE INDEX trusts_issuer_digest_ix ON trusts (issuer_digest)`);
    await runner.query(`CREATE INDEX trusts_created_at_ix ON trusts (organisation_id, created_at, id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE trusts`);
  }
}
