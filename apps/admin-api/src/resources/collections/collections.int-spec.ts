import { TestAdminApi } from '../../spec-support/admin-api';

interface Created {
  readonly id: string;
  readonly slug: string;
}

interface Item extends Created {
  readonly name: string;
  readonly is_default: boolean;
  readonly parent_collection_id: string | null;
  readonly collection_details: { readonly child_collections_count: number; readonly prompts_count: number };
}

describe('/v1/collections', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();
  const other = api.sharedTenant();

  const create = async (name: string, parent?: string): Promise<Created> => {
    const body = { name, ...(parent === undefined ? {} : { parent_collection_id: parent }) };
    const response = await api.post<Created>('/v1/collections', { key: tenant.key, body });
    expect([name, response.status]).toEqual([name, 200]);
    return response.body;
  };
  const list = async (query = ''): Promise<Item[]> =>
    (await api.get<{ data: Item[] }>(`/v1/collections${query}`, tenant)).body.data;
  const read = async (reference: string): Promise<Item & { child_collections: Item[] }> =>
    (await api.get<Item & { child_collections: Item[] }>(`/v1/collections/${reference}`, tenant)).body;
  const partial = async (collection_id: string): Promise<string> => {
    const body = { name: 'P', string: 'x', collection_id };
    return (await api.post<Created>('/v1/prompts/partials', { key: tenant.key, body })).body.id;
  };

  it('starts with a default collection, which can be neither deleted nor moved', async () => {
    const [home] = await list();
    expect(home).toMatchObject({ is_default: true, parent_collection_id: null });
    const url = `/v1/collections/${home?.slug ?? ''}`;
    expect((await api.delete(url, tenant)).status).toBe(404);
    const { id } = await create('Above');
    const body = { parent_collection_id: id };
    expect((await api.put(url, { key: tenant.key, body })).status).toBe(400);
    expect((await api.put(url, { key: tenant.key, body: { name: 'Home' } })).status).toBe(200);
    expect((await list()).filter((item) => item.is_default)).toHaveLength(1);
  });

  it('nests collections, and counts their contents', async () => {
    const outer = await create('Support');
    expect(outer.slug).toMatch(/^co-suppor-[0-9a-f]{6}$/);
    const inner = await create('Refunds', outer.slug);
    await partial(inner.id);
    expect(await read(outer.id)).toMatchObject({
      name: 'Support',
      child_collections: [
        { id: inner.id, collection_details: { prompts_count: 1, child_collections_count: 0 } },
      ],
    });
    const [found] = await list('?search=SUPPORT');
    expect(found).toMatchObject({ id: outer.id, collection_details: { child_collections_count: 1 } });
  });

  it('accepts a slug once in the organisation', async () => {
    const body = { name: 'Named', slug: 'by-a-file' };
    const first = await api.post<Created>('/v1/collections', { key: tenant.key, body });
    expect([first.status, first.body.slug]).toEqual([200, 'by-a-file']);
    const again = await api.post('/v1/collections', { key: tenant.key, body });
    expect(again.status).toBe(409);
    expect((await api.post('/v1/collections', { key: other.key, body })).status).toBe(200);
  });

  it('refuses a collection that would contain itself', async () => {
    const [a, b, c] = [await create('A'), await create('B'), await create('C')];
    const move = async (one: Created, parent: Created | null): Promise<number> =>
      (
        await api.put(`/v1/collections/${one.slug}`, {
          key: tenant.key,
          body: { parent_collection_id: parent?.id ?? null },
        })
      ).status;
    expect([await move(b, a), await move(c, b)]).toEqual([200, 200]);
    expect([await move(a, c), await move(a, a), await move(b, c)]).toEqual([400, 400, 400]);
    expect([await move(b, null), await move(a, c)]).toEqual([200, 200]);
  });

  it('moves the contents of a deleted collection to the default one', async () => {
    const outer = await create('Gone');
    const inner = await create('Stays', outer.id);
    const id = await partial(outer.id);
    const stale = { key: tenant.key, headers: { 'if-match': '"99"' } };
    expect((await api.delete(`/v1/collections/${outer.slug}`, stale)).status).toBe(412);
    expect((await api.delete(`/v1/collections/${outer.slug}`, tenant)).body).toEqual({});
    const home = (await list()).find((item) => item.is_default);
    expect(await read(inner.id)).toMatchObject({ parent_collection_id: home?.id });
    expect((await api.get(`/v1/prompts/partials/${id}`, tenant)).body).toMatchObject({
      collection_id: home?.id,
    });
    expect((await api.get(`/v1/collections/${outer.id}`, tenant)).status).toBe(404);
  });

  it('responds with 404 to every other tenant, 401 without a key and 403 without the scope', async () => {
    const { id, slug } = await create('Private');
    const at = { organisationId: tenant.organisationId, workspaceId: tenant.workspaceId };
    const weak = await api.apiKey('workspace-service', at, ['configs.list']);
    const sibling = await api.workspace(tenant.organisationId);
    const siblingKey = await api.apiKey('workspace-service', { ...at, workspaceId: sibling });
    const bodies = new Set<string>();
    for (const reference of [id, slug, 'unknown']) {
      for (const [method, body] of [['GET'], ['PUT', { name: 'n' }], ['DELETE']] as const) {
        const call = body ? { body } : {};
        const url = `/v1/collections/${reference}`;
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
    const into = { key: other.key, body: { name: 'n', parent_collection_id: id } };
    expect((await api.post('/v1/collections', into)).status).toBe(400);
    expect((await api.get('/v1/collections', { key: tenant.adminKey })).status).toBe(400);
  });
});
