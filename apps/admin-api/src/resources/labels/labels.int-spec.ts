import { AuditLogEntity } from '@gw/entities';
import { TestAdminApi } from '../../spec-support/admin-api';

interface Label {
  readonly id: string;
  readonly name: string;
  readonly is_universal: boolean;
  readonly workspace_id: string | null;
}

describe('/v1/labels', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();
  const other = api.sharedTenant();

  const create = async (name: string, more: object = {}, key = tenant.key): Promise<string> => {
    const response = await api.post<Label>('/v1/labels', { key, body: { name, ...more } });
    expect([name, response.status]).toEqual([name, 200]);
    return response.body.id;
  };
  const names = async (query = '', key = tenant.key): Promise<string[]> => {
    const { body } = await api.get<{ data: Label[]; total: number }>(`/v1/labels${query}`, { key });
    expect(Object.keys(body)).toEqual(['data', 'total']);
    return body.data.map(({ name }) => name);
  };

  it('starts with the three built-in labels, which cannot be changed', async () => {
    expect((await names()).sort()).toEqual(['development', 'production', 'staging']);
    const { body } = await api.get<{ data: Label[] }>('/v1/labels?name=production', tenant);
    const [{ id } = { id: '' }] = body.data;
    expect(body.data[0]).toMatchObject({ is_universal: true, organisation_id: tenant.organisationId });
    for (const key of [tenant.key, tenant.adminKey]) {
      expect((await api.delete(`/v1/labels/${id}`, { key })).status).toBe(409);
      expect((await api.put(`/v1/labels/${id}`, { key, body: { name: 'x' } })).status).toBe(409);
    }
  });

  it('creates, reads, changes under If-Match and deletes labels, with an audit record of each write', async () => {
    const id = await create('canary', { description: 'First', color_code: '#fff' });
    const { body, headers } = await api.get(`/v1/labels/${id}`, tenant);
    expect(body).toMatchObject({
      id,
      name: 'canary',
      description: 'First',
      color_code: '#fff',
      status: 'active',
    });
    const stale = { key: tenant.key, headers: { 'if-match': String(headers['etag']) } };
    expect((await api.put(`/v1/labels/${id}`, { ...stale, body: { description: null } })).body).toEqual({});
    expect((await api.put(`/v1/labels/${id}`, { ...stale, body: { name: 'x' } })).status).toBe(412);
    expect((await api.get(`/v1/labels/${id}`, tenant)).body).toMatchObject({
      description: null,
      name: 'canary',
    });
    expect((await api.delete(`/v1/labels/${id}`, stale)).status).toBe(412);
    expect((await api.delete(`/v1/labels/${id}`, tenant)).body).toEqual({});
    expect((await api.get(`/v1/labels/${id}`, tenant)).status).toBe(404);
    const log = await api.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    expect(log.map(({ action }) => action)).toEqual(expect.arrayContaining(['create', 'update', 'delete']));
    await create('canary');
  });

  it.each(['latest', 'default', '12', 'a b', 'a@b', '', 'a@', 'x'.repeat(256), 7])(
    'refuses the name %j',
    async (name) => {
      const { status, body } = await api.post('/v1/labels', { key: tenant.key, body: { name } });
      expect([status, (body['error'] as { param: string }).param]).toEqual([400, 'name']);
    },
  );

  it("allows a name once among the workspace's own and the organisation’s labels", async () => {
    const wide = await create('wide', {}, tenant.adminKey);
    expect((await api.get<Label>(`/v1/labels/${wide}`, tenant)).body.workspace_id).toBeNull();
    const clash = async (name: string, key: string): Promise<number> =>
      (await api.post('/v1/labels', { key, body: { name } })).status;
    for (const name of ['wide', 'production']) expect(await clash(name, tenant.key)).toBe(409);
    await create('narrow');
    expect(await clash('narrow', tenant.adminKey)).toBe(409);
    expect((await api.put(`/v1/labels/${wide}`, { key: tenant.key, body: { name: 'mine' } })).status).toBe(
      403,
    );
    expect(await names('?search=NARR')).toEqual(['narrow']);
    await create('wide', {}, other.key);
  });

  it('responds with 404 to every other tenant, 401 without a key and 403 without the scope', async () => {
    const id = await create('private');
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const sibling = await api.workspace(tenant.organisationId);
    const siblingKey = await api.apiKey('workspace-service', { ...at, workspaceId: sibling });
    const weak = await api.apiKey('workspace-service', at, ['configs.list']);
    const bodies = new Set<string>();
    for (const reference of [id, '0193f0aa-0000-7000-8000-000000000000', 'unknown']) {
      for (const [method, body] of [['GET'], ['PUT', { name: 'n' }], ['DELETE']] as const) {
        const call = body ? { body } : {};
        const url = `/v1/labels/${reference}`;
        expect((await api.call(method, url, call)).status).toBe(401);
        expect((await api.call(method, url, { ...call, key: weak })).status).toBe(403);
        for (const key of [other.key, other.adminKey, siblingKey]) {
          const response = await api.call(method, url, { ...call, key });
          expect([url, response.status]).toEqual([url, 404]);
          bodies.add(JSON.stringify({ ...(response.body['error'] as object), request_id: null }));
        }
      }
    }
    expect(bodies.size).toBe(1);
    expect(await names('', siblingKey)).not.toContain('private');
    const foreign = { key: tenant.key, body: { name: 'n', organisation_id: other.organisationId } };
    expect((await api.post('/v1/labels', foreign)).status).toBe(400);
  });
});
