import { INTERNAL } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { withPatientCalls } from '../../spec-support/patient-calls';

interface Deployment {
  readonly id: string;
  readonly slug: string;
  readonly client_auth: string;
  readonly is_default: 0 | 1;
  readonly tags: Record<string, string> | null;
  readonly auth_settings: Record<string, unknown>;
  readonly [field: string]: unknown;
}
interface Page {
  readonly total: number;
  readonly data: Deployment[];
}

const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
withPatientCalls(admin);
const tenant = admin.sharedTenant();
const other = admin.sharedTenant();

const create = (more: object = {}, key = tenant.adminKey): Promise<GatewayResponse<Deployment & Failure>> =>
  admin.post('/v1/deployments', { key, body: { name: 'Production EU', ...more } });
async function made(more: object = {}): Promise<Deployment> {
  const response = await create(more);
  expect([response.status, response.text]).toEqual([200, response.text]);
  return response.body;
}
const get = async (id: string): Promise<Deployment> =>
  (await admin.get<Deployment>(`/v1/deployments/${id}`, { key: tenant.adminKey })).body;
const put = (id: string, body: object, headers = {}): Promise<GatewayResponse<Deployment & Failure>> =>
  admin.put(`/v1/deployments/${id}`, { key: tenant.adminKey, body, headers });
const listed = async (query: string): Promise<string[]> =>
  (await admin.get<Page>(`/v1/deployments?${query}`, { key: tenant.adminKey })).body.data.map(({ id }) => id);

describe('deployments', () => {
  it('archives by status only for a caller that may delete deployments', async () => {
    const { id } = await made();
    const at = { organisationId: tenant.organisationId };
    const key = await admin.apiKey('organisation-service', at, ['deployments.update']);
    const path = `/v1/deployments/${id}`;
    const refused = await admin.put<Failure>(path, { key, body: { status: 'archived' } });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'scope_missing']);
    expect((await admin.put(path, { key, body: { name: 'Kept' } })).status).toBe(200);
    expect((await put(id, { status: 'archived' })).status).toBe(200);
  });

  it('creates, reads, updates and deletes a deployment, and shows its secrets only once [SVC-07 in part] [REL-14 in part] [REL-16]', async () => {
    const credentials = { username: 'puller', password: 'registry-password' };
    const { id, slug, client_auth, ...rest } = await made({
      slug: 'eu',
      credentials,
      tags: { region: 'eu' },
    });
    expect(rest).toMatchObject({ organisation_id: tenant.organisationId, credentials, object: 'deployment' });
    expect(client_auth).toMatch(/^[A-Za-z0-9]{48}$/);
    const shown = await admin.get<Deployment>(`/v1/deployments/${slug}`, { key: tenant.adminKey });
    expect(shown.text).not.toContain(client_auth);
    expect(shown.text).not.toContain('registry-password');
    expect(shown.body).toMatchObject({
      type: 'production',
      status: 'active',
      is_default: 0,
      source_type: 'api',
      connection_status: 'unknown',
      last_synced_at: null,
      tags: { region: 'eu' },
      credentials: { username: 'puller', password: '*****' },
      auth_settings: { allow_all_workspaces: true, workspaces_allowed: [] },
    });
    expect((await put(id, { name: 'EU', type: 'non_production', deployment_config: { a: 1 } })).body).toEqual(
      {},
    );
    expect(await get(id)).toMatchObject({
      name: 'EU',
      type: 'non_production',
      deployment_config: { a: 1 },
      tags: { region: 'eu' },
    });
    expect((await put(id, { name: 'x' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await put(id, { tags: null })).status).toBe(200);
    expect((await get(id)).tags).toBeNull();
    expect((await create({ slug: 'eu' })).status).toBe(409);
    expect((await admin.delete(`/v1/deployments/${id}`, { key: tenant.adminKey })).status).toBe(200);
    expect((await admin.get(`/v1/deployments/${id}`, { key: tenant.adminKey })).status).toBe(404);
    expect(await listed('status=archived&search=EU')).toContain(id);
    const rows = JSON.stringify(await admin.dataSource.query('SELECT * FROM audit_logs, deployments'));
    expect(rows).not.toContain(client_auth);
    expect(rows).not.toContain('registry-password');
  });

  it('filters by tags, type, source_type and workspace_slug [REL-02 in part]', async () => {
    const workspace = await admin.workspace(tenant.organisationId, { slug: 'for-search' });
    const { id } = await made({
      type: 'non_production',
      source_type: 'helm',
      tags: { only: 'this' },
      auth_settings: { workspaces_allowed: [workspace] },
    });
    for (const query of ['tags={"only":"this"}', 'type=non_production', 'source_type=helm']) {
      expect([query, await listed(query)]).toEqual([query, [id]]);
    }
    expect(await listed('workspace_slug=for-search')).toContain(id);
    const sibling = await admin.workspace(tenant.organisationId, { slug: 'not-for-it' });
    expect(sibling).not.toBe(workspace);
    expect(await listed('workspace_slug=not-for-it')).not.toContain(id);
    // source_type can be set only on creation (decision 0066).
    expect((await put(id, { source_type: 'ui' })).status).toBe(400);
    expect((await get(id))['source_type']).toBe('helm');
  });

  it('adds to, removes from, and replaces the lists of auth_settings', async () => {
    const [a, b] = [
      await admin.workspace(tenant.organisationId),
      await admin.workspace(tenant.organisationId),
    ];
    const { id } = await made({ auth_settings: { workspaces_allowed: [a], jwt_subs_allowed: ['one'] } });
    const allowed = async (): Promise<unknown> => (await get(id)).auth_settings['workspaces_allowed'];
    await put(id, { auth_settings: { workspaces_allowed: [b], jwt_subs_allowed: ['two'] } });
    expect(await allowed()).toEqual([a, b]);
    expect((await get(id)).auth_settings['jwt_subs_allowed']).toEqual(['one', 'two']);
    await put(id, { auth_settings: { remove_workspaces_allowed: [a], remove_subs_allowed: ['one'] } });
    expect(await allowed()).toEqual([b]);
    expect((await get(id)).auth_settings['jwt_subs_allowed']).toEqual(['two']);
    await put(id, { override_existing: true, auth_settings: { workspaces_allowed: [a] } });
    expect(await allowed()).toEqual([a]);
    await put(id, { auth_settings: { allow_all_workspaces: true } });
    expect((await get(id)).auth_settings).toMatchObject({
      allow_all_workspaces: true,
      workspaces_allowed: [],
    });
    const foreign = await put(id, { auth_settings: { workspaces_allowed: [other.workspaceId] } });
    expect([foreign.status, foreign.body.error?.param]).toEqual([400, 'auth_settings.workspaces_allowed.0']);
  });

  it('keeps one default deployment per organisation, and deletes it on request', async () => {
    const one = await made({ is_default: 1 });
    const two = await made({ is_default: 1 });
    expect([(await get(one.id)).is_default, (await get(two.id)).is_default]).toEqual([0, 1]);
    expect((await admin.delete(`/v1/deployments/${two.id}`, { key: tenant.adminKey })).status).toBe(200);
  });

  it.each([
    ['http://169.254.169.254/'],
    ['http://10.1.2.3/v1'],
    ['file:///etc/passwd'],
    ['https://gateway.example.org/#fragment'],
  ])('refuses gateway_base_url %s [ERR-09]', async (gateway_base_url) => {
    const { status, body } = await create({ auth_settings: { gateway_base_url } });
    expect([status, body.error?.type]).toEqual([400, 'custom_host_refused']);
    expect(body.error?.param).toBe('auth_settings.gateway_base_url');
  });

  it('returns 404 for a deployment of another organisation, and 403 for a workspace key', async () => {
    const { id, slug } = await made();
    const bodies = new Set<string>();
    for (const reference of [id, slug, '018f0000-0000-7000-8000-000000000000']) {
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['GET', '/ping'],
      ]) {
        const call = { key: other.adminKey, ...(method === 'PUT' ? { body: { name: 'x' } } : {}) };
        const response = await admin.call(method ?? '', `/v1/deployments/${reference}${path ?? ''}`, call);
        expect(response.status).toBe(404);
        bodies.add(JSON.stringify({ ...(response.body['error'] as object), request_id: null }));
      }
    }
    expect(bodies.size).toBe(1);
    expect((await admin.get('/v1/deployments', { key: tenant.key })).status).toBe(403);
  });
});

describe('gateways of a deployment', () => {
  const report = (id: string, version: string, clientAuth: string): Promise<GatewayResponse> =>
    admin.post(INTERNAL.gateways, { token: SERVICE_TOKEN, body: { id, version, clientAuth } });

  it('are listed when they report with its client_auth, with versions and warnings [VER-02] [REL-14 in part]', async () => {
    const { id, client_auth } = await made();
    await report('gw-new', '2.20.0', client_auth);
    await report('gw-old', '2.10.0', client_auth);
    await report('gw-stranger', '2.20.0', 'not-one-of-ours');
    const shown = await get(id);
    const gateways = shown['gateways'] as { id: string; version: string; last_seen_at: string }[];
    expect(gateways.map((gateway) => [gateway.id, gateway.version])).toEqual([
      ['gw-old', '2.10.0'],
      ['gw-new', '2.20.0'],
    ]);
    expect(shown['last_synced_at']).toBe(gateways[0]?.last_seen_at);
    expect((shown['warnings'] as { feature: string }[]).map(({ feature }) => feature)).toEqual([
      'block_inline_config',
      'mcp_tool_rate_limits',
    ]);
    const rotated = await put(id, { rotate_auth: true });
    expect(rotated.body.client_auth).toMatch(/^[A-Za-z0-9]{48}$/);
    await report('gw-new', '2.20.0', client_auth);
    await report('gw-old', '2.20.0', rotated.body.client_auth);
    expect((await get(id))['gateways']).toMatchObject([{ id: 'gw-old', version: '2.20.0' }]);
    expect((await get(id))['warnings']).toEqual([]);
  });

  it('count for the list of deployments, however many gateways another deployment has', async () => {
    const [many, one] = [await made(), await made()];
    await admin.dataSource.query(
      `INSERT INTO gateways (id, version, deployment_id, last_seen_at)
       SELECT 'many-' || n, '2.20.0', $1::uuid, now() FROM generate_series(1, 1000) n
       UNION ALL SELECT 'one', '2.20.0', $2::uuid, now() - interval '1 minute'`,
      [many.id, one.id],
    );
    const { body } = await admin.get<{ data: { id: string; last_synced_at: string | null }[] }>(
      '/v1/deployments',
      { key: tenant.adminKey },
    );
    const listed = body.data.find(({ id }) => id === one.id);
    expect(listed?.last_synced_at).toBe((await get(one.id))['last_synced_at']);
    await admin.dataSource.query('DELETE FROM gateways WHERE deployment_id = ANY($1)', [[many.id, one.id]]);
  });

  it('are pinged at the health route below gateway_base_url, and the result is stored', async () => {
    const stub = await StubProvider.start();
    try {
      const { id } = await made({ auth_settings: { gateway_base_url: `${stub.origin}/v1` } });
      const ping = async (): Promise<object> =>
        (await admin.get(`/v1/deployments/${id}/ping`, { key: tenant.adminKey })).body;
      stub.respondJson({ status: 'ok' });
      const etag = (await get(id))['etag'];
      expect(await ping()).toMatchObject({ status: 'healthy', status_code: 200, object: 'deployment-ping' });
      expect(stub.lastRequest.url).toBe('/v1/health');
      expect(await get(id)).toMatchObject({ connection_status: 'healthy', etag });
      stub.respond({ status: 503 });
      expect(await ping()).toMatchObject({ status: 'unhealthy', status_code: 503 });
      stub.respond({ raw: '' });
      expect(await ping()).toMatchObject({ status: 'unhealthy', status_code: null });
      expect(await get(id)).toMatchObject({ connection_status: 'unhealthy' });
    } finally {
      await stub.stop();
    }
    const { id } = await made();
    expect((await admin.get(`/v1/deployments/${id}/ping`, { key: tenant.adminKey })).status).toBe(400);
  });
});
