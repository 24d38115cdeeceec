import { uuidv7 } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { LoginExpiryProcessor } from './login-expiry.processor';

describe('login-expiry job', () => {
  const database = testDatabase();
  const [organisationId, userId, connectionId] = [uuidv7(), uuidv7(), uuidv7()];
  const query = <T>(sql: string, values: readonly unknown[] = []): Promise<T[]> =>
    database.dataSource.query<T[]>(sql, [...values]);
  const hash = (text: string): string => text.padEnd(64, '0');

  /** Inserts one row in each table, identified by `text`, that expires in `hours` hours. */
  async function rows(text: string, hours: number): Promise<void> {
    const at = new Date(Date.now() + hours * 3_600_000);
    const id = hash(text);
    await query(
      `INSERT INTO sso_flows (state_hash, connection_id, binding_hash, sealed, step, expires_at)
       VALUES ($1, $2, $1, 'x', 'begun', $3)`,
      [id, connectionId, at],
    );
    await query(`INSERT INTO sso_used_messages (connection_id, id_hash, expires_at) VALUES ($1, $2, $3)`, [
      ...[connectionId, id, at],
    ]);
    await query(
      `INSERT INTO login_challenges (token_hash, user_id, organisation_id, expires_at) VALUES ($1, $2, $3, $4)`,
      [id, userId, organisationId, at],
    );
    await query(`INSERT INTO taken_challenges (challenge_hash, expires_at) VALUES ($1, $2)`, [id, at]);
    await query(`INSERT INTO password_resets (token_hash, user_id, expires_at) VALUES ($1, $2, $3)`, [
      ...[id, userId, at],
    ]);
  }

  it('deletes expired rows and no others', async () => {
    await query(`INSERT INTO organisations (id, name, slug) VALUES ($1, 'Acme', 'acme')`, [organisationId]);
    await query(`INSERT INTO users (id, email) VALUES ($1, 'ada@example.org')`, [userId]);
    await query(
      `INSERT INTO sso_connections (id, organisation_id, name, type, issuer, client_id, token_endpoint_auth_method)
       VALUES ($1, $2, 'IdP', 'oidc', 'https://idp.example', 'tollgate', 'none')`,
      [connectionId, organisationId],
    );
    await rows('over', -1);
    await rows('live', 1);
    const run = (): Promise<void> => new LoginExpiryProcessor(database.dataSource).process();
    await Promise.all([run(), run()]);
    const left = await query<{ id: string }>(
      `SELECT state_hash AS id FROM sso_flows UNION ALL SELECT id_hash FROM sso_used_messages
       UNION ALL SELECT token_hash FROM login_challenges UNION ALL SELECT challenge_hash FROM taken_challenges
       UNION ALL SELECT token_hash FROM password_resets`,
    );
    expect(left.map(({ id }) => id)).toEqual(Array.from({ length: 5 }, () => hash('live')));
  });
});
