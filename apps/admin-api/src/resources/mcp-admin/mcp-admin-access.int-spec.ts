import { TestAdminApi } from '../../spec-support/admin-api';
import { OauthJourney, PUBLIC_URL } from '../../platform/oauth/spec-support/oauth-journey';
import { AdminClients } from './spec-support/admin-clients';

const RESOURCE = `${PUBLIC_URL}/mcp/admin`;
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const MODERN = {
  ...{ jsonrpc: '2.0', id: 1, method: 'server/discover' },
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};

interface Rpc {
  readonly id: number | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly data?: { readonly type: string } };
}
const bodyOf = async (response: Response): Promise<Rpc> => (await response.json()) as Rpc;

describe('access to /mcp/admin', () => {
  const admin = new TestAdminApi({ PUBLIC_URL, MCP_ALLOWED_ORIGINS: 'https://tools.example.com' });
  const clients = new AdminClients(admin);
  const tenant = admin.standingTenant();
  const journey = new OauthJourney(admin);
  const byKey = (): Record<string, string> => ({ 'x-gw-api-key': tenant.key });

  it('leads clients without a credential to the OAuth server, whose metadata names this resource', async () => {
    const response = await clients.post(INITIALIZE);
    expect([response.status, (await bodyOf(response)).error?.code]).toEqual([401, -32_600]);
    const challenge = response.headers.get('www-authenticate') ?? '';
    const metadata = `${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp/admin`;
    expect(challenge).toContain(`resource_metadata="${metadata}"`);
    expect(challenge).toMatch(/scope="[^"]*logs\.list[^"]*"/);
    expect(challenge).not.toMatch(/\.(?:create|update|delete|write)/);
    const { body } = await admin.get(new URL(metadata).pathname);
    expect(body).toMatchObject({ resource: RESOURCE, authorization_servers: [PUBLIC_URL] });
    const invalid = await clients.post(INITIALIZE, { authorization: 'Bearer pat_x' });
    expect(invalid.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('takes OAuth tokens for this resource alone, with their scopes and in their workspace', async () => {
    const member = await admin.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'admin' });
    const tokenFor = async (resource: string, scope: string): Promise<string> => {
      const clientId = await journey.clientId();
      const { begun, code } = await journey.code(clientId, member, tenant.workspaceId, { resource, scope });
      return (await journey.exchange(begun, code)).body.access_token;
    };
    const token = await tokenFor(RESOURCE, 'logs.list');
    for (const client of [
      await clients.legacy({ authorization: `Bearer ${token}` }),
      await clients.modern({ authorization: `Bearer ${token}` }),
    ])
      expect(await client.names()).toEqual(['find_requests']);
    const client = await clients.legacy({ authorization: `Bearer ${token}` });
    expect((await client.call('find_requests')).structuredContent).toMatchObject({ requests: [] });
    const other = await admin.workspace(tenant.organisationId);
    expect((await client.call('find_requests', { workspace: other }))._meta?.['gw/error']).toMatchObject({
      type: 'not_found',
    });
    expect((await admin.get('/v1/logs', { token })).status).toBe(401);
    const ofApi = await tokenFor(`${PUBLIC_URL}/v1`, 'logs.list');
    expect((await clients.post(INITIALIZE, { authorization: `Bearer ${ofApi}` })).status).toBe(401);
    expect((await admin.get('/v1/logs', { token: ofApi })).status).toBe(200);
  });

  it('takes the session of a user, whose role decides', async () => {
    const { organisationId, workspaceId } = tenant;
    const names = async (email: string): Promise<string[]> =>
      (await clients.modern({ authorization: `Bearer ${await admin.login(email)}` })).names();
    const owner = await names((await admin.user(organisationId, 'owner')).email);
    expect(owner).toEqual(expect.arrayContaining(['find_audit_records', 'create_api_key']));
    const member = await names(
      (await admin.user(organisationId, 'member', { [workspaceId]: 'member' })).email,
    );
    expect(member).not.toContain('find_audit_records');
    expect(member).toContain('find_requests');
  });

  it('gives no more than the REST API to a caller who has only their own data', async () => {
    const { organisationId, workspaceId } = tenant;
    const settings = { security_settings: { membersViewAllData: false } };
    await admin.put('/v1/admin/organisation/settings', { key: tenant.adminKey, body: settings });
    const { email } = await admin.user(organisationId, 'member', { [workspaceId]: 'member' });
    const token = await admin.login(email);
    const client = await clients.legacy({ authorization: `Bearer ${token}` });
    const { structuredContent } = await client.call('find_requests');
    const { body } = await admin.get<{ data: object[] }>('/v1/logs', { token });
    expect(structuredContent?.['requests']).toHaveLength(body.data.length);
  });

  it('refuses pages of other origins, and answers those of its own', async () => {
    const at = async (origin: string): Promise<Response> => clients.post(INITIALIZE, { ...byKey(), origin });
    for (const origin of ['https://evil.example', 'null', 'https://tools.example.com.evil.example'])
      expect((await at(origin)).status).toBe(403);
    for (const origin of ['https://tools.example.com', PUBLIC_URL]) {
      const response = await at(origin);
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    }
    const preflight = await fetch(clients.endpoint, {
      method: 'OPTIONS',
      headers: { origin: 'https://tools.example.com', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
  });

  it('speaks every revision, keeps no state, and takes a session only from its credential', async () => {
    const opened = await clients.post(INITIALIZE, byKey());
    expect((await bodyOf(opened)).result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'tollgate-admin' },
      capabilities: { tools: {} },
    });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const listed = await bodyOf(await clients.post(LIST, { ...byKey(), ...session }));
    expect(listed.result).toHaveProperty('tools');
    expect((await clients.post(LIST, { 'x-gw-api-key': tenant.adminKey, ...session })).status).toBe(404);
    expect((await clients.post(LIST, byKey())).status).toBe(400);
    const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' };
    const discovered = await bodyOf(await clients.post(MODERN, { ...byKey(), ...modern }));
    expect(discovered.result).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
    const mismatch = await clients.post(MODERN, { ...byKey(), ...modern, 'mcp-method': 'tools/list' });
    expect([mismatch.status, (await bodyOf(mismatch)).error?.code]).toEqual([400, -32_020]);
  });

  it('answers other methods and bodies as MCP says', async () => {
    const method = async (name: string, headers: Record<string, string> = {}): Promise<number> =>
      (await fetch(clients.endpoint, { method: name, headers: { ...byKey(), ...headers } })).status;
    expect([await method('GET'), await method('DELETE'), await method('PUT')]).toEqual([405, 405, 405]);
    const opened = await clients.post(INITIALIZE, byKey());
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    expect(await method('GET', { ...session, accept: 'text/event-stream' })).toBe(405);
    expect(await method('DELETE', session)).toBe(204);
    expect((await clients.post(LIST, { ...byKey(), accept: 'application/json' })).status).toBe(406);
    expect((await clients.post(LIST, { ...byKey(), 'content-type': 'text/plain' })).status).toBe(415);
    const large = { ...LIST, params: { text: 'x'.repeat(1_100_000) } };
    expect((await clients.post(large, { ...byKey(), ...session })).status).toBe(413);
    const unknown = await clients.post({ ...LIST, method: 'prompts/list' }, { ...byKey(), ...session });
    expect((await bodyOf(unknown)).error?.code).toBe(-32_601);
    const batch = await clients.post([LIST, LIST], { ...byKey(), ...session });
    expect(batch.status).toBe(400);
  });
});

describe('/mcp/admin with API_ACCESS_ENABLED=OFF and without an OAuth server', () => {
  const admin = new TestAdminApi({ API_ACCESS_ENABLED: 'OFF' });
  const clients = new AdminClients(admin);
  const tenant = admin.standingTenant();

  it('refuses API keys, and leads nowhere', async () => {
    expect((await clients.post(INITIALIZE, { 'x-gw-api-key': tenant.key })).status).toBe(403);
    const response = await clients.post(INITIALIZE);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, null]);
    expect((await bodyOf(response)).error?.data?.type).toBe('api_key_missing');
  });
});
