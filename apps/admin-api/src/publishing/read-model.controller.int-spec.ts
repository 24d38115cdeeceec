import { documentKey, INTERNAL, type DocumentsResponse } from '@gw/contracts';
import { hashApiKey } from '@gw/kernel';
import { createReadModel, type ReadModel } from '@gw/read-model';
import { eventually } from '@gw/testing';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type Tenant } from '../spec-support/admin-api';
import { Secrets } from '../settings';

describe('internal routes of the admin API', () => {
  let model: ReadModel | null = null;
  // Registered before the admin API's own hook, whose server waits for the event stream.
  afterAll(async () => {
    await model?.stop();
  });
  const admin = new TestAdminApi();
  const pepper = new Secrets(MASTER_KEY, SERVICE_TOKEN).apiKeyPepper;
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await admin.tenant();
    await admin.api.app.listen(0, '127.0.0.1');
  });

  const keys = (list: unknown): { body: unknown } => ({ body: { keys: list } });

  it('refuse every caller without the service token, including an organisation key', async () => {
    for (const call of [{}, { key: tenant.adminKey }, { token: 'guessed' }]) {
      expect((await admin.post(INTERNAL.documents, { ...call, ...keys([]) })).status).toBe(401);
      expect((await admin.get(INTERNAL.events, call)).status).toBe(401);
    }
  });

  it('refuse more than 256 keys, keys that are not a list of strings, and an invalid sequence', async () => {
    const token = SERVICE_TOKEN;
    for (const list of [Array.from({ length: 257 }, String), 'a', [1], null]) {
      expect((await admin.post(INTERNAL.documents, { token, ...keys(list) })).status).toBe(400);
    }
    expect((await admin.get(`${INTERNAL.events}?after=-1`, { token })).status).toBe(400);
  });

  it('are not part of the public document', () => {
    expect(Object.keys(admin.api.document.paths).filter((path) => path.includes('internal'))).toEqual([]);
  });

  it('[AUT-06] publish the creation, renaming and deletion of a key through the public API', async () => {
    const { port } = admin.api.app.getHttpServer().address() as { port: number };
    model = createReadModel({
      adminUrl: `http://127.0.0.1:${String(port)}`,
      serviceToken: SERVICE_TOKEN,
      redisUrl: null,
    });
    await model.start();
    const reader = model;
    await eventually(() => reader.state().verified);
    const created = await admin.post<{ id: string; key: string }>('/v2/api-keys/workspace/service', {
      key: tenant.adminKey,
      body: { name: 'first', workspace_id: tenant.workspaceId, scopes: ['completions.write'] },
    });
    expect(created.status).toBe(200);
    const { id, key } = created.body;
    const hash = hashApiKey(pepper, key);
    expect(await reader.loadApiKey(hash)).toMatchObject({ id, name: 'first', status: 'active' });
    const call = { key: tenant.adminKey };
    await admin.put(`/v2/api-keys/${id}`, { ...call, body: { name: 'second' } });
    await eventually(() => reader.getApiKey(hash)?.name === 'second', { everyMs: 5 });
    await admin.delete(`/v2/api-keys/${id}`, call);
    await eventually(() => reader.getApiKey(hash) === null, { everyMs: 5 });
    const response = await admin.post<DocumentsResponse & Record<string, unknown>>(INTERNAL.documents, {
      token: SERVICE_TOKEN,
      ...keys([documentKey.apiKey(hash)]),
    });
    expect(response.body.documents[documentKey.apiKey(hash)]).toBeNull();
  });
});
