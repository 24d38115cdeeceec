import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Remembers which login at a provider opened a session, and which messages of providers were used. */
export class SsoSessions1795800000000 implements MigrationInterface {
  readonly name = 'SsoSessions1795800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sso_flows ADD COLUMN subject varchar(256), ADD COLUMN provider_session varchar(256)`,
    );
    await runner.query(
      `CREATE TABLE sso_sessions (
         session_id uuid CONSTRAINT sso_sessions_pk PRIMARY KEY
           CONSTRAINT sso_sessions_session_fk REFERENCES sessions (id) ON DELETE CASCADE,
         connection_id uuid NOT NULL CONSTRAINT sso_sessions_connection_fk REFERENCES sso_connections (id) ON DELETE CASCADE,
         subject varchar(256) NOT NULL,
         provider_session varchar(256),
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    await runner.query(`CREATE INDEX sso_sessions_subject_ix ON sso_sessions (connection_id, subject)`);
    await runner.query(
      `CREATE TABLE sso_used_messages (
         connection_id uuid NOT NULL CONSTRAINT sso_used_messages_connection_fk REFERENCES sso_connections (id) ON DELETE CASCADE,
         id_hash char(64) NOT NULL,
         expires_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now(),
         CONSTRAINT sso_used_messages_pk PRIMARY KEY (connection_id, id_hash)
       )`,
    );
    await runner.query(`CREATE INDEX sso_used_messages_expires_at_ix ON sso_used_messages (expires_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE sso_used_messages`);
    await runner.query(`DROP TABLE sso_sessions`);
    await runner.query(`ALTER TABLE sso_flows DROP COLUMN subject, DROP COLUMN provider_session`);
  }
}
