import type { MigrationInterface, QueryRunner } from 'typeorm';

const INVITES = `
  CREATE TABLE user_invites (
    id uuid CONSTRAINT user_invites_pk PRIMARY KEY,
    organisation_id uuid NOT NULL CONSTRAINT user_invites_organisation_fk REFERENCES organisations (id),
    email varchar(320) NOT NULL,
    role varchar(16) NOT NULL,
    first_name varchar(255) NOT NULL DEFAULT '',
    last_name varchar(255) NOT NULL DEFAULT '',
    workspaces jsonb NOT NULL DEFAULT '[]',
    api_key_details jsonb,
    token_hash char(64) NOT NULL,
    status varchar(16) NOT NULL DEFAULT 'pending',
    expires_at timestamptz(3) NOT NULL,
    accepted_at timestamptz(3),
    invited_by uuid,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_updated_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX user_invites_token_hash_uq ON user_invites (token_hash);
  CREATE UNIQUE INDEX user_invites_pending_uq ON user_invites (organisation_id, email) WHERE status = 'pending';
  CREATE INDEX user_invites_organisation_created_at_ix ON user_invites (organisation_id, created_at, id);`;

const SECURITY = `
  ALTER TABLE organisations ADD COLUMN security_settings jsonb NOT NULL DEFAULT '{}';
  ALTER TABLE organisations ADD COLUMN workspace_overrides jsonb NOT NULL DEFAULT '{}';
  ALTER TABLE workspaces ADD COLUMN security_settings jsonb NOT NULL DEFAULT '{}';`;

/** The chain's head is a row of its own: who writes next locks it, and a log whose end was cut off differs from it. */
const AUDIT_CHAIN = `
  CREATE TABLE audit_chains (
    organisation_id uuid CONSTRAINT audit_chains_pk PRIMARY KEY,
    sequence bigint NOT NULL,
    hash char(64) NOT NULL
  );
  ALTER TABLE audit_logs ADD COLUMN sequence bigint;
  ALTER TABLE audit_logs ADD COLUMN previous_hash char(64);
  ALTER TABLE audit_logs ADD COLUMN hash char(64);
  CREATE UNIQUE INDEX audit_logs_organisation_sequence_uq ON audit_logs (organisation_id, sequence);`;

const APPEND_ONLY = `
  CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'audit_logs is append-only' USING ERRCODE = 'insufficient_privilege';
  END $$;
  CREATE TRIGGER audit_logs_append_only BEFORE UPDATE OR DELETE ON audit_logs
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_logs_no_truncate BEFORE TRUNCATE ON audit_logs
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();`;

const DOWN = `
  DROP TRIGGER audit_logs_no_truncate ON audit_logs;
  DROP TRIGGER audit_logs_append_only ON audit_logs;
  DROP FUNCTION refuse_audit_change();
  DROP INDEX audit_logs_organisation_sequence_uq;
  ALTER TABLE audit_logs DROP COLUMN sequence, DROP COLUMN previous_hash, DROP COLUMN hash;
  DROP TABLE audit_chains;
  ALTER TABLE workspaces DROP COLUMN security_settings;
  ALTER TABLE organisations DROP COLUMN security_settings, DROP COLUMN workspace_overrides;
  DROP TABLE user_invites;`;

export class IdentityRules1795310000000 implements MigrationInterface {
  readonly name = 'IdentityRules1795310000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [INVITES, SECURITY, AUDIT_CHAIN, APPEND_ONLY]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
