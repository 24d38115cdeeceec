import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Short-lived keys of sessions for gateways. */
export class PlaygroundKeys1795880100000 implements MigrationInterface {
  readonly name = 'PlaygroundKeys1795880100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE playground_keys (
         key_hash char(64) CONSTRAINT playground_keys_pk PRIMARY KEY,
         session_id uuid NOT NULL CONSTRAINT playground_keys_session_fk REFERENCES sessions (id) ON DELETE CASCADE,
         user_id uuid NOT NULL CONSTRAINT playground_keys_user_fk REFERENCES users (id),
         organisation_id uuid NOT NULL CONSTRAINT playground_keys_organisation_fk REFERENCES organisations (id),
         workspace_id uuid NOT NULL CONSTRAINT playground_keys_workspace_fk REFERENCES workspaces (id),
         expires_at timestamptz(3) NOT NULL,
         created_at timestamptz(3) NOT NULL DEFAULT now()
       )`,
    );
    for (const column of ['session_id', 'user_id', 'workspace_id'])
      await runner.query(`CREATE INDEX playground_keys_${column}_ix ON playground_keys (${column})`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE playground_keys');
  }
}
