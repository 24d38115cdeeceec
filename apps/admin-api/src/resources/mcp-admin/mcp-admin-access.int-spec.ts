import { ProofKey } from '@gw/testing';
import { READING_SCOPES } from '../../platform/oauth/oauth-resources';
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
  const tenant = admin.sharedTenant();
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

  it('accepts only OAuth tokens for this resource, with their scopes and in their workspace', async () => {
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
    expect((await client.call('find_requests', { workspace_id: other }))._meta?.['gw/error']).toMatchObject({
      type: 'not_found',
    });
    expect((await admin.get('/v1/logs', { token })).status).toBe(401);
    const ofApi = await tokenFor(`${PUBLIC_URL}/v1`, 'logs.list');
    expect((await clients.post(INITIALIZE, { authorization: `Bearer ${ofApi}` })).status).toBe(401);
    expect((await admin.get('/v1/logs', { token: ofApi })).status).toBe(200);
  });

  it('accepts a token that is bound to a key with one proof per request, whatever requests a tool sends', async () => {
    const member = await admin.user(tenant.organisationId, 'member', { [tenant.workspaceId]: 'manager' });
    const clientId = await journey.clientId();
    const wanted = { resource: RESOURCE, scope: READING_SCOPES.join(' ') };
    const { begun, code } = await journey.code(clientId, member, tenant.workspaceId, wanted);
    const { access_token: token } = (await journey.exchange(begun, code)).body;
    const key = new ProofKey();
    await admin.dataSource.query(
      `UPDATE oauth_artifacts SET payload = jsonb_set(payload, '{jkt}', to_jsonb($1::text)) WHERE model = 'AccessToken'`,
      [key.thumbprint],
    );
    const authorization = `DPoP ${token}`;
    const call = { name: 'get_spend', arguments: { by: 'api_key' } };
    const sent = (dpop: string): Promise<Response> =>
      clients.post(
        { ...MODERN, method: 'tools/call', params: { ...MODERN.params, ...call } },
        {
          ...{ authorization, dpop, 'mcp-protocol-version': '2026-07-28' },
          ...{ 'mcp-method': 'tools/call', 'mcp-name': call.name },
        },
      );
    const proof = key.proof({ token, method: 'POST', url: RESOURCE });
    const first = await sent(proof);
    expect([first.status, (await bodyOf(first)).result]).toMatchObject([
      200,
      { structuredContent: { groups: [] } },
    ]);
    const again = await sent(proof);
    expect([again.status, again.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_dpop_proof'),
    ]);
  });

  it('accepts the session of a user, whose role decides', async () => {
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

  it('refuses pages of other origins, and serves those of its own', async () => {
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

  it('supports every revision, stores no state, and accepts a session only from its credential', async () => {
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

  it('responds to other methods and bodies as MCP defines', async () => {
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
  const tenant = admin.sharedTenant();

  it('refuses API keys, without leading clients to an OAuth server', async () => {
    expect((await clients.post(INITIALIZE, { 'x-gw-api-key': tenant.key })).status).toBe(403);
    const response = await clients.post(INITIALIZE);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, null]);
    expect((await bodyOf(response)).error?.data?.type).toBe('api_key_missing');
  });
});

describe('/mcp/admin with CONTROL_PLANE_RATE_LIMIT', () => {
  const admin = new TestAdminApi({ CONTROL_PLANE_RATE_LIMIT: '4' });
  const clients = new AdminClients(admin);
  const tenant = admin.sharedTenant();

  it('counts each request of a tool, the first one together with the request of the client', async () => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' };
    const call = async (name: string): Promise<Rpc> =>
      bodyOf(
        await clients.post(
          { ...MODERN, method: 'tools/call', params: { ...MODERN.params, name, arguments: {} } },
          { ...headers, 'mcp-name': name, 'x-gw-api-key': tenant.key },
        ),
      );
    expect((await call('find_requests')).result).toHaveProperty('structuredContent');
    // The tool reads the key, its workspace and the policies of two kinds: one request more than
    // the limit leaves.
    expect((await call('get_my_limits')).result).toMatchObject({
      isError: true,
      _meta: { 'gw/error': { type: 'rate_limited', status: 429 } },
    });
  });
});
