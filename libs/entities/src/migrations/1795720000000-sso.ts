import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds connections to identity providers, unfinished logins, and the links between users and their identities at the providers. */
export class Sso1795720000000 implements MigrationInterface {
  readonly name = 'Sso1795720000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE sso_connections (
         id uuid CONSTRAINT sso_connections_pk PRIMARY KEY,
         organisation_id uuid NOT NULL CONSTRAINT sso_connections_organisation_fk REFERENCES organisations (id),
         name varchar(255) NOT NULL,
         status varchar(16) NOT NULL DEFAULT 'active',
         domains jsonb NOT NULL DEFAULT '[]',
         issuer varchar(2048) NOT NULL,
         client_id varchar(512) NOT NULL,
         sealed_secrets text,
         token_endpoint_auth_method varchar(32) NOT NULL,
         scopes jsonb NOT NULL DEFAULT '[]',
         trust_email boolean NOT NULL DEFAULT false,
         auto_provision boolean NOT NULL DEFAULT true,
         disable_auto_provision_user boolean NOT NULL DEFAULT false,
         default_workspaces jsonb NOT NULL DEFAULT '[]',
         ${ROW}
       )`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX sso_connections_name_uq ON sso_connections (organisation_id, name)`,
    );
    await runner.query(
      `CREATE INDEX sso_connections_created_at_ix ON sso_connections (organisation_id, created_at, id)`,
    );
    await runner.query(
      `CREATE TABLE sso_flows (
         state_hash char(64) CONSTRAINT sso_flows_pk PRIMARY KEY,
         connection_id uuid NOT NULL CONSTRAINT sso_flows_connection_fk REFERENCES sso_connections (id) ON DELETE CASCADE,
         binding_hash char(64) NOT NULL,
         sealed text NOT NULL,
         user_id uuid CONSTRAINT sso_flows_user_fk REFERENCES users (id),
         code_hash char(64),
         step varchar(16) NOT NULL,
         expires_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(`CREATE UNIQUE INDEX sso_flows_code_hash_uq ON sso_flows (code_hash)`);
    await runner.query(`CREATE INDEX sso_flows_connection_id_ix ON sso_flows (connection_id)`);
    await runner.query(`CREATE INDEX sso_flows_expires_at_ix ON sso_flows (expires_at)`);
    await runner.query(
      `CREATE TABLE sso_links (
         connection_id uuid NOT NULL CONSTRAINT sso_links_connection_fk REFERENCES sso_connections (id) ON DELETE CASCADE,
         subject varchar(255) NOT NULL,
         user_id uuid NOT NULL CONSTRAINT sso_links_user_fk REFERENCES users (id),
         last_login_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         CONSTRAINT sso_links_pk PRIMARY KEY (connection_id, subject)
       )`,
    );
    await runner.query(`CREATE INDEX sso_links_user_id_ix ON sso_links (user_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['sso_links', 'sso_flows', 'sso_connections'])
      await runner.query(`DROP TABLE ${table}`);
  }
}

const ROW = `version integer NOT NULL DEFAULT 1,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         last_updated_at timestamptz(3) NOT NULL DEFAULT now()`;
