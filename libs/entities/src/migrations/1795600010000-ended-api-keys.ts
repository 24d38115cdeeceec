import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Maps the hash of each removed secret to its key and organisation, so that the log can name the
 * owner of a request that uses it. A trigger inserts a row whenever a secret is removed: by
 * deletion, by rotation, or with its user or workspace. Secrets removed before this migration have
 * no row.
 */
const ENDED = `CREATE TABLE ended_api_keys (
  secret_hash char(64) NOT NULL,
  api_key_id uuid NOT NULL,
  organisation_id uuid NOT NULL,
  ended_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT ended_api_keys_pk PRIMARY KEY (secret_hash),
  CONSTRAINT ended_api_keys_organisation_fk FOREIGN KEY (organisation_id) REFERENCES organisations (id) ON DELETE CASCADE
)`;

/**
 * Inserts no row when the row of the key is gone too, as when its organisation is deleted: then
 * the request has no owner.
 */
const REMEMBER = `CREATE FUNCTION remember_ended_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ended_api_keys (secret_hash, api_key_id, organisation_id)
  SELECT OLD.secret_hash, key.id, key.organisation_id FROM api_keys AS key WHERE key.id = OLD.api_key_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$`;

export class EndedApiKeys1795600010000 implements MigrationInterface {
  readonly name = 'EndedApiKeys1795600010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ENDED);
    await runner.query('CREATE INDEX ended_api_keys_age_ix ON ended_api_keys (ended_at)');
    await runner.query('CREATE INDEX ended_api_keys_organisation_ix ON ended_api_keys (organisation_id)');
    await runner.query(REMEMBER);
    await runner.query(`CREATE TRIGGER api_key_secrets_ended AFTER DELETE ON api_key_secrets
      FOR EACH ROW EXECUTE FUNCTION remember_ended_api_key()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER api_key_secrets_ended ON api_key_secrets');
    await runner.query('DROP FUNCTION remember_ended_api_key');
    await runner.query('DROP TABLE ended_api_keys');
  }
}
