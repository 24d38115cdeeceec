import { McpIntegrationEntity, McpOauthClientEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

const PATH = '/v1/mcp-integrations';
const SERVER = { name: 'GitHub', url: 'https://mcp.example.com/mcp', auth_type: 'none', transport: 'http' };
const SECRET = 'token-0123456789abcdef';

interface Failure {
  readonly error: {
    readonly type: string;
    readonly message: string;
    readonly details?: readonly { readonly path: string; readonly message: string }[];
  };
}
interface Integration {
  readonly id: string;
  readonly slug: string;
  readonly type: string;
  readonly etag: string;
  readonly configurations: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}
interface List {
  readonly data: readonly Integration[];
  readonly total: number;
  readonly has_more: boolean;
}

describe('MCP integrations', () => {
  const admin = new TestAdminApi({ TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const ours = admin.sharedTenant();
  const theirs = admin.sharedTenant();

  const post = <T = Failure>(body: object, key = ours.adminKey): Promise<GatewayResponse<T>> =>
    admin.post<T>(PATH, { key, body: { ...SERVER, ...body } });
  const put = (id: string, body: object, key = ours.adminKey): Promise<GatewayResponse<Failure>> =>
    admin.put<Failure>(`${PATH}/${id}`, { key, body });
  const get = async (id: string, key = ours.adminKey): Promise<Integration> =>
    (await admin.get<Integration>(`${PATH}/${id}`, { key })).body;
  async function made(body: object = {}, key = ours.adminKey): Promise<string> {
    const response = await post<Integration>(body, key);
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    return response.body.id;
  }
  const rowOf = (id: string): Promise<McpIntegrationEntity> =>
    admin.dataSource.manager.findOneByOrFail(McpIntegrationEntity, { id });
  const pathsOf = ({ body }: GatewayResponse<Failure>): unknown[] =>
    (body.error.details ?? []).map(({ path }) => path);

  it('are created with the defaults of their type, and found by id and slug', async () => {
    const id = await made({ slug: 'gh', description: 'Code' });
    expect(await get('gh')).toMatchObject({
      ...{ ...SERVER, id, slug: 'gh', description: 'Code', type: 'organisation', workspace_id: null },
      ...{ approval_mode: 'review_changes', on_change: 'block', pricing: null, timeout_ms: null },
      ...{ configurations: {}, secret_mappings: [], global_workspace_access: null, workspaces_count: 0 },
    });
    const own = await made({}, ours.key);
    expect(await get(own, ours.key)).toMatchObject({
      ...{ type: 'workspace', workspace_id: ours.workspaceId, approval_mode: 'auto', workspaces_count: 1 },
    });
    expect((await post({ slug: 'gh' })).status).toBe(409);
    expect((await post({ organisation_id: theirs.organisationId })).status).toBe(400);
  });

  it('are listed by pages with type and search', async () => {
    const { adminKey: key } = await admin.tenant();
    for (const name of ['One', 'Two', 'Three']) await made({ name }, key);
    const list = async (query: string): Promise<List> =>
      (await admin.get<List>(`${PATH}?${query}`, { key })).body;
    const first = await list('page_size=2');
    expect([first.data.length, first.total, first.has_more]).toEqual([2, 3, true]);
    const last = await list('page_size=2&current_page=1');
    expect([last.data.length, last.total, last.has_more]).toEqual([1, 3, false]);
    expect((await list('search=tw')).data.map(({ name }) => name)).toEqual(['Two']);
    expect((await list('type=workspace')).total).toBe(0);
    expect((await list('type=organisation')).total).toBe(3);
  });

  it('refuse stdio and recommend a bridge', async () => {
    const { status, body } = await post({ transport: 'stdio' });
    expect([status, body.error.type]).toEqual([400, 'mcp_transport_unsupported']);
    expect(body.error.message).toContain('bridge');
  });

  it.each([
    'https://10.0.0.1/mcp',
    'https://mcp.example.com/mcp#part',
    'https://user:pass@mcp.example.com',
    'ws://mcp.example.com',
    'file:///etc/passwd',
    'https://169.254.169.254/mcp',
  ])('refuse the address %s', async (url) => {
    const { status, body } = await post({ url });
    expect([status, body.error.type]).toEqual([400, 'custom_host_refused']);
    expect((await put(await made(), { url })).body.error.type).toBe('custom_host_refused');
  });

  it('show whether calls of idempotent tools are repeated', async () => {
    const id = await made({ configurations: { retry_idempotent: true } });
    expect((await get(id)).configurations).toEqual({ retry_idempotent: true });
    const odd = await put(id, { configurations: { retry_idempotent: 'yes' } });
    expect([odd.status, pathsOf(odd)]).toEqual([400, ['configurations.retry_idempotent']]);
  });

  it('never show a secret header, and keep it when the mask is sent back', async () => {
    const headers = { authorization: SECRET, 'x-team': 'search' };
    const id = await made({ auth_type: 'headers', configurations: { headers } });
    const shown = await get(id);
    expect(shown.configurations).toEqual({ headers: { authorization: '*****', 'x-team': '*****' } });
    const { sealedAuth } = await rowOf(id);
    expect(sealedAuth).not.toContain(SECRET);
    expect((await put(id, { configurations: shown.configurations, name: 'New' })).status).toBe(200);
    expect((await put(id, { description: 'kept' })).status).toBe(200);
    const changed = { authorization: '*****', 'x-new': '1' };
    expect((await put(id, { configurations: { headers: changed } })).status).toBe(200);
    expect((await get(id)).configurations).toEqual({ headers: { authorization: '*****', 'x-new': '*****' } });
    const unknown = await put(id, { configurations: { headers: { 'x-other': '*****' } } });
    expect([unknown.status, pathsOf(unknown)]).toEqual([400, ['configurations.headers.x-other']]);
  });

  it('do not send a saved secret to another origin', async () => {
    const id = await made({ auth_type: 'headers', configurations: { headers: { 'x-a': SECRET } } });
    const moved = await put(id, { url: 'https://other.example.com/mcp' });
    expect([moved.status, pathsOf(moved)]).toEqual([400, ['configurations.headers.x-a', 'url']]);
    expect((await put(id, { url: 'https://mcp.example.com/v2' })).status).toBe(200);
    const again = { url: 'https://other.example.com/mcp', configurations: { headers: { 'x-a': 'new' } } };
    expect((await put(id, again)).status).toBe(200);
  });

  it('keep the secret of a client, unless its token endpoint changes', async () => {
    const client = { token_endpoint: 'https://id.example.com/token', client_id: 'a', client_secret: SECRET };
    const id = await made({
      auth_type: 'oauth_client_credentials',
      configurations: { oauth_client_credentials: client },
    });
    const shown = { ...client, client_secret: '*****' };
    expect((await get(id)).configurations).toEqual({ oauth_client_credentials: shown });
    const scoped = { oauth_client_credentials: { ...shown, scope: 'read' } };
    expect((await put(id, { configurations: scoped })).status).toBe(200);
    const { client_secret: _left, ...without } = scoped.oauth_client_credentials;
    expect((await put(id, { configurations: { oauth_client_credentials: without } })).status).toBe(200);
    expect((await get(id)).configurations).toEqual(scoped);
    const elsewhere = { ...shown, token_endpoint: 'https://evil.example.com/token' };
    const moved = await put(id, { configurations: { oauth_client_credentials: elsewhere } });
    expect([moved.status, moved.body.error.type]).toEqual([400, 'validation_failed']);
    const unknown = { ...client, auth_method: 'tls_client_auth' };
    expect(
      (await put(id, { configurations: { oauth_client_credentials: unknown } })).body.error,
    ).toMatchObject({
      details: [{ path: 'configurations.oauth_client_credentials.auth_method' }],
    });
    const inside = { ...client, token_endpoint: 'https://10.0.0.1/token' };
    const refused = await put(id, { configurations: { oauth_client_credentials: inside } });
    expect(refused.body.error.type).toBe('custom_host_refused');
    expect((await put(id, { auth_type: 'none' })).status).toBe(200);
    expect([(await get(id)).configurations, (await rowOf(id)).sealedAuth]).toEqual([{}, null]);
  });

  it.each([
    ['an unknown member', { nope: 1 }, 'configurations.nope'],
    ['a member that every object inherits', { constructor: 1 }, 'configurations.constructor'],
    ['what nothing enforces', { jwt_validation: { jwks: {} } }, 'configurations.jwt_validation'],
    ['headers without their type', { headers: { a: 'b' } }, 'configurations.headers'],
    [
      'cookies',
      { passthrough_headers: ['Cookie'], passthrough_acknowledged: true },
      'configurations.passthrough_headers.0',
    ],
    [
      'our key',
      { passthrough_headers: ['x-gw-api-key'], passthrough_acknowledged: true },
      'configurations.passthrough_headers.0',
    ],
    [
      'passthrough without an acknowledgement',
      { passthrough_headers: ['x-up'] },
      'configurations.passthrough_acknowledged',
    ],
    ['authorization', { forward_headers: ['Authorization'] }, 'configurations.forward_headers.headers.0'],
    [
      'a protocol header',
      { forward_headers: [{ from: 'x-a', to: 'mcp-session-id' }] },
      'configurations.forward_headers.headers.0.to',
    ],
    [
      'an unknown form of identity',
      { user_identity_forwarding: { method: 'cookie' } },
      'configurations.user_identity_forwarding.method',
    ],
    [
      'signed identity without a public URL',
      { user_identity_forwarding: { method: 'jwt_header' } },
      'configurations.user_identity_forwarding.method',
    ],
  ])('refuse %s in configurations', async (_what, configurations, path) => {
    const response = await post({ configurations });
    expect([response.status, pathsOf(response)]).toEqual([400, [path]]);
  });

  it.each([
    ['a line break', { 'x-a': 'a\r\nb: c' }],
    ['a framing header', { 'content-length': '1' }],
    ['a protocol header', { 'Mcp-Session-Id': '1' }],
    ['our header', { 'x-gw-api-key': '1' }],
    ['a placeholder', { 'x-a': '{{user.email}}' }],
    ['no header', {}],
  ])('refuse headers with %s', async (_what, headers) => {
    const response = await post({ auth_type: 'headers', configurations: { headers } });
    expect([response.status, response.body.error.type]).toEqual([400, 'validation_failed']);
  });

  it('forward identity only over https', async () => {
    const configurations = { user_identity_forwarding: { method: 'claims_header', header_name: 'x-user' } };
    expect((await post({ configurations })).status).toBe(200);
    expect(pathsOf(await post({ configurations, url: 'http://mcp.example.com' }))).toEqual([
      'configurations.user_identity_forwarding',
    ]);
  });

  it('store exact prices', async () => {
    const pricing = { default_usd: 0.1, tools: { search: 0.00000001, buy: 999.99999999 } };
    const id = await made({ pricing });
    expect((await get(id))['pricing']).toEqual(pricing);
    expect((await rowOf(id)).prices).toEqual({
      default: 10_000_000,
      tools: { search: 1, buy: 99_999_999_999 },
    });
    for (const price of [-1, 1_001, 0.000000001, '1'])
      expect((await put(id, { pricing: { tools: { a: price } } })).status).toBe(400);
    expect((await put(id, { pricing: null })).status).toBe(200);
    expect((await get(id))['pricing']).toBeNull();
  });

  it('accept secrets in secret managers only from callers who may change the references', async () => {
    const reference = await admin.post<{ id: string }>('/v1/secret-references', {
      key: ours.adminKey,
      body: {
        ...{ name: 'Upstream', manager_type: 'aws_sm', secret_path: 'a/b' },
        auth_config: { aws_auth_type: 'serviceRole', aws_region: 'eu-west-1' },
      },
    });
    expect([reference.status, reference.text]).toEqual([200, expect.any(String)]);
    const mapping = { target_field: 'headers.authorization', secret_reference_id: reference.body.id };
    const input = { auth_type: 'headers', secret_mappings: [mapping] };
    const id = await made(input);
    expect((await get(id))['secret_mappings']).toMatchObject([mapping]);
    expect((await post(input, ours.key)).status).toBe(403);
    const wrong = await post({ ...input, auth_type: 'none' });
    expect([wrong.status, pathsOf(wrong)]).toEqual([400, ['secret_mappings.0.target_field']]);
    const used = await admin.delete<Failure>(`/v1/secret-references/${reference.body.id}`, {
      key: ours.adminKey,
    });
    expect([used.status, used.text]).toEqual([400, expect.stringContaining('mcp_integrations')]);
  });

  it('are shared with workspaces, in both forms of the list', async () => {
    const id = await made();
    const url = `${PATH}/${id}/workspaces`;
    const listed = async (): Promise<number> =>
      (await admin.get<List>(PATH, { key: ours.key })).body.data.filter((each) => each.id === id).length;
    const share = (body: object): Promise<GatewayResponse<Failure>> =>
      admin.put<Failure>(url, { key: ours.adminKey, body });
    expect(await listed()).toBe(0);
    expect((await share({ workspaces: [{ id: ours.workspaceId, enabled: true }] })).status).toBe(200);
    const own = { id: ours.workspaceId, enabled: true, status: 'active' };
    const { body } = await admin.get(url, { key: ours.adminKey });
    expect(body).toMatchObject({ workspaces: [own], global_workspace_access: null });
    const versioned = await admin.get(`${url}?version=2`, { key: ours.adminKey });
    expect(versioned.body).toMatchObject({ data: [own], total: 1, global_workspace_access: null });
    const global = { workspaces: [], global_workspace_access: { enabled: true } };
    expect((await share({ ...global, override_existing_workspace_access: true })).status).toBe(200);
    expect((await get(id))['workspaces_count']).toBe(1);
    expect((await share({ workspaces: [{ id: theirs.workspaceId, enabled: true }] })).status).toBe(400);
    const ofWorkspace = await made({}, ours.key);
    const refused = await admin.put<Failure>(`${PATH}/${ofWorkspace}/workspaces`, {
      key: ours.adminKey,
      body: { workspaces: [] },
    });
    expect(refused.status).toBe(400);
  });

  it('are read and checked again with another credential, and not for another change', async () => {
    const headers = (value: string) => ({ configurations: { headers: { 'x-a': value } } });
    const id = await made({ auth_type: 'headers', ...headers(SECRET) });
    const failed = { syncStatus: 'failed', healthState: 'unauthorised' } as const;
    await admin.dataSource.manager.update(McpIntegrationEntity, { id }, failed);
    const put = (body: object) => admin.put(`${PATH}/${id}`, { key: ours.adminKey, body });
    for (const body of [{ name: 'Renamed' }, headers(SECRET)]) {
      expect((await put(body)).status).toBe(200);
      expect(await rowOf(id)).toMatchObject(failed);
    }
    expect((await put(headers(`${SECRET}-2`))).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ syncStatus: 'pending', healthState: 'unknown' });
  });

  it('end with their secrets', async () => {
    const id = await made({ auth_type: 'headers', configurations: { headers: { 'x-a': SECRET } } });
    const client = { id: uuidv7(), integrationId: id, issuerDigest: 'a'.repeat(43), sealed: 'sealed' };
    await admin.dataSource.manager.insert(McpOauthClientEntity, client);
    expect((await admin.delete(`${PATH}/${id}`, { key: ours.adminKey })).body).toEqual({});
    expect(await rowOf(id)).toMatchObject({ status: 'archived', sealedAuth: null });
    expect(await admin.dataSource.manager.countBy(McpOauthClientEntity, { integrationId: id })).toBe(0);
    expect((await admin.get(`${PATH}/${id}`, { key: ours.adminKey })).status).toBe(404);
  });
});
