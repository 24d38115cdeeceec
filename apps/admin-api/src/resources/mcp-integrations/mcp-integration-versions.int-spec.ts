import { AuditLogEntity, McpIntegrationEntity, McpIntegrationVersionEntity } from '@gw/entities';
import { UpstreamCredentials } from '../../platform/upstreams/upstream-credentials.service';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { MCP_UPSTREAM } from './mcp-configurations';

const PATH = '/v1/mcp-integrations';

interface Version {
  readonly version: number;
  readonly created_by: string | null;
  readonly integration: Readonly<Record<string, unknown>>;
}

describe('versions of MCP integrations', () => {
  const api = new TestAdminApi();
  const ours = api.sharedTenant();
  const call = { key: ours.adminKey };
  const HEADERS = { auth_type: 'headers', configurations: { headers: { authorization: 'Bearer one' } } };

  async function made(body: object = {}): Promise<string> {
    const base = { name: 'First', url: 'https://mcp.example.com/mcp', auth_type: 'none', transport: 'http' };
    const response = await api.post<{ id: string }>(PATH, { ...call, body: { ...base, ...body } });
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body.id;
  }
  const put = (id: string, body: object): Promise<GatewayResponse> =>
    api.put(`${PATH}/${id}`, { ...call, body });
  const versions = async (id: string): Promise<Version[]> =>
    (await api.get<{ data: Version[] }>(`${PATH}/${id}/versions`, call)).body.data;
  const restore = (
    id: string,
    version: number | string,
    body: object = {},
  ): Promise<GatewayResponse<Failure>> =>
    api.post<Failure>(`${PATH}/${id}/versions/${String(version)}/restore`, { ...call, body });
  const shown = async (id: string): Promise<Record<string, unknown>> =>
    (await api.get(`${PATH}/${id}`, call)).body;
  async function headersOf(id: string): Promise<unknown> {
    const row = await api.dataSource.manager.findOneByOrFail(McpIntegrationEntity, { id });
    return api.api.app.get(UpstreamCredentials).open(MCP_UPSTREAM, row).headers;
  }

  it('are created by each update, and restoring one creates a further one', async () => {
    const id = await made({ description: 'a', tags: { team: 'x' }, pricing: { default_usd: 0.5 } });
    const first = await shown(id);
    await put(id, { name: 'Second', description: null, tags: null, pricing: null });
    await put(id, { configurations: { allow_sampling: true }, on_change: 'serve_approved' });
    expect((await versions(id)).map(({ version, integration }) => [version, integration['name']])).toEqual([
      [3, 'Second'],
      [2, 'Second'],
      [1, 'First'],
    ]);
    expect((await restore(id, 1)).body).toEqual({});
    const now = await shown(id);
    for (const name of [
      'name',
      'description',
      'tags',
      'pricing',
      'configurations',
      'on_change',
      'approval_mode',
    ])
      expect([name, now[name]]).toEqual([name, first[name]]);
    const [newest] = await versions(id);
    expect(newest).toMatchObject({ version: 4, integration: { name: 'First', tags: { team: 'x' } } });
    const audits = await api.dataSource.manager.findBy(AuditLogEntity, { resourceId: id, action: 'restore' });
    expect(audits).toMatchObject([{ after: { restored_version: 1, name: 'First' } }]);
  });

  it('contain no secrets: restoring a version keeps the current ones', async () => {
    const id = await made(HEADERS);
    await put(id, { name: 'Second', configurations: { headers: { authorization: 'Bearer two' } } });
    expect(JSON.stringify(await versions(id))).not.toMatch(/Bearer (one|two)/);
    const rows = await api.dataSource.manager.findBy(McpIntegrationVersionEntity, { integrationId: id });
    expect(JSON.stringify(rows)).not.toMatch(/Bearer (one|two)/);
    expect((await restore(id, 1)).status).toBe(200);
    expect(await shown(id)).toMatchObject({ name: 'First' });
    expect(await headersOf(id)).toEqual({ authorization: 'Bearer two' });
  });

  it('never send a secret to the address of an earlier version, unless the caller sends it again', async () => {
    const id = await made(HEADERS);
    await put(id, {
      url: 'https://other.example.com/mcp',
      configurations: { headers: { authorization: 'Bearer two' } },
    });
    const refused = await restore(id, 1);
    expect([refused.status, refused.body.error.details?.map(({ path }) => path)]).toEqual([
      400,
      ['configurations.headers.authorization', 'url'],
    ]);
    expect(await shown(id)).toMatchObject({ url: 'https://other.example.com/mcp' });
    const configurations = { headers: { authorization: 'Bearer three' } };
    expect((await restore(id, 1, { configurations })).status).toBe(200);
    expect(await shown(id)).toMatchObject({ url: 'https://mcp.example.com/mcp' });
    expect(await headersOf(id)).toEqual({ authorization: 'Bearer three' });
  });

  it('require the secrets that the integration no longer has', async () => {
    const id = await made(HEADERS);
    await put(id, { auth_type: 'none' });
    expect(await headersOf(id)).toBeUndefined();
    expect((await restore(id, 1)).status).toBe(400);
    expect((await restore(id, 1, { configurations: HEADERS.configurations })).status).toBe(200);
    expect(await headersOf(id)).toEqual({ authorization: 'Bearer one' });
  });

  it('start with the state before the first update of an older integration', async () => {
    const id = await made({ name: 'Old' });
    await api.dataSource.manager.delete(McpIntegrationVersionEntity, { integrationId: id });
    await put(id, { name: 'New' });
    expect((await versions(id)).map(({ integration }) => integration['name'])).toEqual(['New', 'Old']);
  });

  it.each(['0', '99', 'x', '1e0', '00000000-0000-4000-8000-000000000000'])(
    'respond with 404 to the version %s',
    async (version) => {
      expect((await restore(await made(), version)).status).toBe(404);
    },
  );

  it('are protected by If-Match', async () => {
    const id = await made();
    const { headers } = await api.get(`${PATH}/${id}`, call);
    await put(id, { name: 'Second' });
    const stale = { ...call, headers: { 'if-match': String(headers['etag']) }, body: {} };
    expect((await api.post(`${PATH}/${id}/versions/1/restore`, stale)).status).toBe(412);
  });

  it('can be found with their integrations by tags, environment and data classes', async () => {
    const labels = {
      tags: { tier: 'gold', team: 'x' },
      environment: 'production',
      data_classes: ['personal'],
    };
    const id = await made({ ...labels, owner: 'Platform', support_url: 'https://wiki.example.com' });
    expect(await shown(id)).toMatchObject({ ...labels, owner: 'Platform' });
    const found = async (query: string): Promise<boolean> => {
      const { body } = await api.get<{ data: { id: string }[] }>(`${PATH}?${query}`, call);
      return body.data.some((each) => each.id === id);
    };
    const tags = (value: object): string => `tags=${encodeURIComponent(JSON.stringify(value))}`;
    expect(await found(`${tags({ tier: 'gold' })}&environment=production&data_class=personal`)).toBe(true);
    for (const query of [tags({ tier: 'silver' }), 'environment=test', 'data_class=health'])
      expect([query, await found(query)]).toEqual([query, false]);
    expect((await put(id, { support_url: 'javascript:alert(1)' })).status).toBe(400);
  });
});
