import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds connections by SAML. */
export class Saml1795760000000 implements MigrationInterface {
  readonly name = 'Saml1795760000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sso_connections
         ADD COLUMN type varchar(8) NOT NULL DEFAULT 'oidc',
         ADD COLUMN saml jsonb`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX sso_connections_entity_id_uq ON sso_connections (organisation_id, issuer) WHERE type = 'saml'`,
    );
    await runner.query(`ALTER TABLE sso_flows ADD COLUMN session_ends_at timestamptz(3)`);
    await runner.query(`ALTER TABLE sso_links ALTER COLUMN subject TYPE varchar(256)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM sso_connections WHERE type = 'saml'`);
    await runner.query(`ALTER TABLE sso_flows DROP COLUMN session_ends_at`);
    await runner.query(`DELETE FROM sso_links WHERE length(subject) > 255`);
    await runner.query(`ALTER TABLE sso_links ALTER COLUMN subject TYPE varchar(255)`);
    await runner.query(`ALTER TABLE sso_connections DROP COLUMN type, DROP COLUMN saml`);
  }
}
