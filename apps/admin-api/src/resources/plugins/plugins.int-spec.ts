import { INTERNAL } from '@gw/contracts';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';

interface Plugin {
  readonly id: string;
  readonly credentials: Record<string, string>;
  readonly name: string;
}

const admin = new TestAdminApi();
const tenant = admin.sharedTenant();
const other = admin.sharedTenant();
const SECRET = 'plugin-secret-0123456789';

const create = (
  plugin_provider_id: string,
  key = tenant.adminKey,
): Promise<GatewayResponse<Plugin & Failure>> =>
  admin.post('/v1/plugins', { key, body: { plugin_provider_id, credentials: { apiKey: SECRET } } });

describe('plugin', () => {
  it('[SVC-07 in part] stores the credentials of a partner, one account each, and shows them masked', async () => {
    const { body, status } = await create('patronus');
    expect(status).toBe(200);
    expect((await create('patronus')).status).toBe(409);
    const list = await admin.get<{ data: Plugin[] }>('/v1/plugins', { key: tenant.adminKey });
    expect(list.body.data).toMatchObject([{ id: body.id, credentials: { apiKey: 'pl*****789' } }]);
    const change = { name: 'Renamed', credentials: { apiKey: 'another-secret-0123' } };
    expect((await admin.put(`/v1/plugins/${body.id}`, { key: tenant.adminKey, body: change })).status).toBe(
      200,
    );
    const after = await admin.get<{ data: Plugin[] }>('/v1/plugins', { key: tenant.adminKey });
    expect(after.body.data).toMatchObject([{ name: 'Renamed', credentials: { apiKey: 'an*****123' } }]);
    const rows = JSON.stringify(await admin.dataSource.query('SELECT * FROM plugins, audit_logs'));
    expect(rows).not.toMatch(/plugin-secret|another-secret/);
    const archived = { body: { status: 'archived' }, key: tenant.adminKey };
    expect((await admin.put(`/v1/plugins/${body.id}`, archived)).status).toBe(200);
    expect((await create('patronus')).status).toBe(200);
  });

  it('is only for administrators, and hidden from other organisations', async () => {
    const { body } = await create('theirs', other.adminKey);
    for (const id of [body.id, '018f0000-0000-7000-8000-000000000000', 'unknown']) {
      const response = await admin.put(`/v1/plugins/${id}`, { key: tenant.adminKey, body: { name: 'x' } });
      expect(response.status).toBe(404);
    }
    expect((await admin.get('/v1/plugins', { key: tenant.key })).status).toBe(403);
    const empty = { key: tenant.adminKey, body: { plugin_provider_id: 'x', credentials: {} } };
    expect((await admin.post<Failure>('/v1/plugins', empty)).body.error?.param).toBe('credentials');
  });
});

describe('batch record', () => {
  it('[CTL-19] accepts the id of the produced file only from Tollgate’s own processes', async () => {
    const by = { token: SERVICE_TOKEN };
    const body = { workspace_id: tenant.workspaceId, status: 'in_progress' };
    const { id } = (await admin.post<{ id: string }>(INTERNAL.batches, { ...by, body })).body;
    const change = { internal_output_file_id: 'file-1', status: 'completed' };
    const put = (batch: string, call: object): Promise<GatewayResponse> =>
      admin.put(`/v2/batches/${batch}`, { ...call, body: change });
    expect((await put(id, by)).body).toEqual({});
    const rows = await admin.dataSource.query<object[]>('SELECT * FROM batches');
    expect(rows).toMatchObject([{ id, status: 'completed', internal_output_file_id: 'file-1' }]);
    expect((await put('018f0000-0000-7000-8000-000000000000', by)).status).toBe(404);
    for (const call of [{}, { key: tenant.adminKey }, { token: 'x' }])
      expect((await put(id, call)).status).toBe(401);
    const empty = { ...by, body: {} };
    expect((await admin.put(`/v2/batches/${id}`, empty)).status).toBe(400);
  });
});
