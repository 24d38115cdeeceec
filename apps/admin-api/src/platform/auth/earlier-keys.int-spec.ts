import { documentKey, INTERNAL } from '@gw/contracts';
import { ApiKeySecretEntity, DeploymentEntity } from '@gw/entities';
import { apiKeyPepper, hashApiKey } from '@gw/kernel';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';

const EARLIER = Buffer.alloc(32, 9);
const byEarlier = (secret: string): string => hashApiKey(apiKeyPepper(EARLIER), secret);
const byCurrent = (secret: string): string => hashApiKey(apiKeyPepper(MASTER_KEY), secret);

describe('hashes made with an earlier master key', () => {
  const admin = new TestAdminApi({ ENCRYPTION_KEYS_PREVIOUS: EARLIER.toString('base64') });
  const ours = admin.sharedTenant();

  const isStored = (secretHash: string): Promise<boolean> =>
    admin.dataSource.manager.existsBy(ApiKeySecretEntity, { secretHash });

  /** Creates a key and stores its hash under the earlier master key. */
  async function earlierKey(): Promise<string> {
    const key = await admin.apiKey('workspace-service', ours);
    const where = { secretHash: byCurrent(key) };
    await admin.dataSource.manager.update(ApiKeySecretEntity, where, { secretHash: byEarlier(key) });
    return key;
  }

  const show = (key: string, token = SERVICE_TOKEN): Promise<{ status: number }> =>
    admin.post(INTERNAL.earlierKeys, { token, body: { key } });

  it('rehashes an API key at its first call, and gateways read the key under its new hash', async () => {
    const key = await earlierKey();
    const calls = Array.from({ length: 20 }, () => admin.get('/v1/api-keys/self/details', { key }));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect([await isStored(byCurrent(key)), await isStored(byEarlier(key))]).toEqual([true, false]);
    const events = await admin.dataSource.query<{ changed: string[]; removed: string[] }[]>(
      'SELECT changed, removed FROM change_events WHERE $1 = ANY(changed)',
      [documentKey.apiKey(byCurrent(key))],
    );
    expect(events).toMatchObject([{ removed: [documentKey.apiKey(byEarlier(key))] }]);
  });

  it('rehashes a key that a gateway reports, and nothing for an unknown key or a wrong service token', async () => {
    const key = await earlierKey();
    expect((await show(key, 'x'.repeat(40))).status).toBe(401);
    expect((await show('unknownKey0000000000000000000000AB')).status).toBe(401);
    expect(await isStored(byEarlier(key))).toBe(true);
    expect((await show(key)).status).toBe(200);
    expect([await isStored(byCurrent(key)), await isStored(byEarlier(key))]).toEqual([true, false]);
  });

  it('rehashes the secret of a deployment that a gateway reports', async () => {
    const { body } = await admin.post<{ id: string; client_auth: string }>('/v1/deployments', {
      key: ours.adminKey,
      body: { name: 'ours' },
    });
    const { id, client_auth: clientAuth } = body;
    const { manager } = admin.dataSource;
    await manager.update(DeploymentEntity, { id }, { clientAuthHash: byEarlier(clientAuth) });
    const presence = { id: 'host/0', version: '1.0.0', clientAuth };
    expect((await admin.post(INTERNAL.gateways, { token: SERVICE_TOKEN, body: presence })).status).toBe(200);
    const row = await manager.findOneByOrFail(DeploymentEntity, { id });
    expect(row.clientAuthHash).toBe(byCurrent(clientAuth));
  });
});
