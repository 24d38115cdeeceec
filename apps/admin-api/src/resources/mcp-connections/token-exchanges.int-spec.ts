import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  documentKey,
  INTERNAL,
  mcpAuthBinding,
  type DocumentsResponse,
  type McpServerDocument,
} from '@gw/contracts';
import { AuditLogEntity, McpConnectionEntity } from '@gw/entities';
import { isSigned, readSigningKey, sealingKeyring, unseal, uuidv7 } from '@gw/kernel';
import { connectionBinding } from '@gw/mcp';
import { jwtVerify } from 'jose';
import { MASTER_KEY, SERVICE_TOKEN, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { listen, stop, type Loopback } from '../../spec-support/loopback';
import { withStoppedClock } from '../../spec-support/stopped-clock';

const PUBLIC_URL = 'https://gateway.example.com';
const PATH = '/v1/mcp-integrations';
const URL_OF_SERVER = 'https://mcp.example.com/mcp';
const TYPE = 'urn:ietf:params:oauth:token-type:';
const PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag';

interface Recorded {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

describe("users' tokens obtained by exchange", () => {
  const api = new TestAdminApi({ PUBLIC_URL, TRUSTED_CUSTOM_HOSTS: '127.0.0.1' });
  const ours = api.sharedTenant();
  const by = { key: ours.adminKey };
  let authorities: Loopback;
  const requests: Recorded[] = [];
  let profiles: readonly string[] = [PROFILE];
  /** Responses of the endpoints that differ from the usual ones. */
  let responses: Readonly<Record<string, { readonly status: number; readonly body: object }>> = {};

  beforeAll(async () => {
    authorities = await listen();
    authorities.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void respond(request, response);
    });
  });
  afterAll(() => stop(authorities));
  beforeEach(() => {
    requests.length = 0;
    responses = {};
    profiles = [PROFILE];
  });

  const USUAL: Readonly<Record<string, () => object>> = {
    '/exchange': () => bearer(`exchanged-${String(requests.length)}`),
    '/idp': () => ({ issued_token_type: `${TYPE}id-jag`, token_type: 'N_A', access_token: 'the-assertion' }),
    '/as/token': () => bearer(`asserted-${String(requests.length)}`),
    '/.well-known/oauth-authorization-server/as': () => ({
      ...{ issuer: `${authorities.origin}/as`, token_endpoint: `${authorities.origin}/as/token` },
      authorization_endpoint: `${authorities.origin}/as/authorize`,
      ...{ code_challenge_methods_supported: ['S256'], authorization_grant_profiles_supported: profiles },
    }),
  };
  const bearer = (token: string): object => ({
    ...{
      access_token: token,
      issued_token_type: `${TYPE}access_token`,
      token_type: 'Bearer',
      expires_in: 600,
    },
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '';
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    if (request.method === 'POST')
      requests.push({ path, form, authorization: request.headers.authorization });
    const { status, body } = responses[path] ?? {
      status: USUAL[path] ? 200 : 404,
      body: USUAL[path]?.() ?? {},
    };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  const exchange = (more: object = {}): object => ({
    auth_type: 'token_exchange',
    configurations: {
      token_exchange: {
        ...{
          token_endpoint: `${authorities.origin}/exchange`,
          client_id: 'tollgate',
          client_secret: 'one-secret',
        },
        ...{ audience: 'issues', scope: 'issues.read', ...more },
      },
    },
  });
  const idJag = (more: object = {}): object => ({
    auth_type: 'id_jag',
    configurations: {
      id_jag: {
        ...{ token_endpoint: `${authorities.origin}/idp`, client_id: 'at-idp', client_secret: 'idp-secret' },
        ...{ issuer: `${authorities.origin}/as`, server_client_id: 'at-as' },
        ...{ server_client_secret: 'as-secret', server_auth_method: 'client_secret_post', ...more },
      },
    },
  });
  const create = (body: object): Promise<GatewayResponse<{ id: string } & Failure>> =>
    api.post(PATH, { ...by, body: { name: 'Issues', url: URL_OF_SERVER, transport: 'http', ...body } });

  async function made(body: object): Promise<{ integrationId: string; serverId: string; slug: string }> {
    const { status, text, body: integration } = await create(body);
    expect([status, text]).toEqual([200, expect.any(String)]);
    const workspaces = [{ id: ours.workspaceId, enabled: true }];
    await api.put(`${PATH}/${integration.id}/workspaces`, { ...by, body: { workspaces } });
    const server = await api.post<{ id: string; slug: string }>('/v1/mcp-servers', {
      key: ours.key,
      body: { name: 'Issues', mcp_integration_id: integration.id },
    });
    return { integrationId: integration.id, serverId: server.body.id, slug: server.body.slug };
  }
  const addUser = () => api.user(ours.organisationId, 'member', { [ours.workspaceId]: 'member' });
  async function obtain(
    serverId: string,
    userId: string,
    version = 'none',
  ): Promise<Record<string, unknown>> {
    const body = { serverId, userId, version };
    return (await api.post(INTERNAL.mcpConnectionRefresh, { token: SERVICE_TOKEN, body })).body;
  }
  async function documents(...keys: string[]): Promise<DocumentsResponse['documents']> {
    const { body } = await api.post<DocumentsResponse & Record<string, unknown>>(INTERNAL.documents, {
      ...{ token: SERVICE_TOKEN, body: { keys } },
    });
    return body.documents;
  }
  /** Returns the access token in the document that gateways read; null when there is none. */
  async function tokenOf(serverId: string, userId: string): Promise<string | null> {
    const key = documentKey.mcpConnection(serverId, userId);
    const { [key]: document } = await documents(key);
    if (document?.kind !== 'mcp_connection') return null;
    expect(document.isRefreshable).toBe(true);
    const binding = connectionBinding({ organisationId: ours.organisationId, serverId, userId });
    const text = unseal(sealingKeyring(MASTER_KEY), document.sealedTokens, binding).toString('utf8');
    return (JSON.parse(text) as { accessToken: string }).accessToken;
  }
  const part = (text = ''): Record<string, unknown> =>
    JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  /** Returns the claims of Tollgate's assertion, whose signature the published keys must verify. */
  async function claimsOf(token = ''): Promise<Record<string, unknown>> {
    const [head = '', payload = '', signature = ''] = token.split('.');
    const { text } = await api.get('/.well-known/jwks.json');
    const { keys } = JSON.parse(text) as { keys: readonly { kid: string }[] };
    const key = readSigningKey(keys.find(({ kid }) => kid === part(head)['kid']));
    const parts = {
      ...{ algorithm: 'ES256', signed: Buffer.from(`${head}.${payload}`) },
      signature: Buffer.from(signature, 'base64url'),
    };
    expect(key !== null && isSigned(key, parts)).toBe(true);
    return part(payload);
  }

  it('are obtained at the token endpoint for an assertion about the user (RFC 8693)', async () => {
    const { serverId } = await made(exchange());
    const user = await addUser();
    expect(await obtain(serverId, user.id)).toMatchObject({ outcome: 'refreshed' });
    expect(await tokenOf(serverId, user.id)).toBe('exchanged-1');
    const [request] = requests;
    expect(request?.form).toMatchObject({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      ...{ subject_token_type: `${TYPE}jwt`, requested_token_type: `${TYPE}access_token` },
      ...{ audience: 'issues', resource: URL_OF_SERVER, scope: 'issues.read' },
    });
    expect(request?.authorization).toBe(`Basic ${Buffer.from('tollgate:one-secret').toString('base64')}`);
    const claims = await claimsOf(request?.form['subject_token']);
    expect(claims).toMatchObject({
      ...{ iss: PUBLIC_URL, aud: `${authorities.origin}/exchange`, sub: user.id, email: user.email },
      client_id: 'tollgate',
    });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(120);
  });

  it('are obtained by a client that signs an assertion for the identity provider, and sends no secret', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = {
      ...{ client_secret: undefined, auth_method: 'private_key_jwt', issuer: 'https://idp.example.com' },
      private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
    };
    const { serverId, integrationId } = await made(exchange(key));
    const { id } = await addUser();
    expect(await obtain(serverId, id)).toMatchObject({ outcome: 'refreshed' });
    const [request] = requests;
    const options = { issuer: 'tollgate', subject: 'tollgate', audience: 'https://idp.example.com' };
    await jwtVerify(request?.form['client_assertion'] ?? '', publicKey, options);
    expect([request?.authorization, request?.form['client_secret']]).toEqual([undefined, undefined]);
    const moved = await api.put<Failure>(`${PATH}/${integrationId}`, {
      ...by,
      body: exchange({ ...key, private_key: undefined, issuer: 'https://other.example.com' }),
    });
    expect(moved.body.error.details?.map(({ path }) => path)).toEqual([
      'configurations.token_exchange.private_key',
      'configurations.token_exchange.issuer',
    ]);
  });

  it('are obtained again when a gateway holds the current token, and not for one that was replaced', async () => {
    const { serverId } = await made(exchange());
    const { id } = await addUser();
    const first = await obtain(serverId, id);
    expect(await obtain(serverId, id)).toEqual(first);
    expect(requests).toHaveLength(1);
    const second = await obtain(serverId, id, String(first['version']));
    expect(second['version']).not.toBe(first['version']);
    expect(requests).toHaveLength(2);
    const audits = await api.dataSource.manager.findBy(AuditLogEntity, { resourceType: 'mcp_connections' });
    expect(audits.filter(({ after }) => JSON.stringify(after).includes(id))).toHaveLength(1);
  });

  it('are obtained for an assertion of the identity provider, which the server’s authorization server accepts (ID-JAG)', async () => {
    const { serverId } = await made(idJag());
    const user = await addUser();
    expect(await obtain(serverId, user.id)).toMatchObject({ outcome: 'refreshed' });
    expect(await tokenOf(serverId, user.id)).toBe('asserted-2');
    expect(requests.map(({ path }) => path)).toEqual(['/idp', '/as/token']);
    const [atProvider, atServer] = requests;
    expect(atProvider?.form).toMatchObject({
      requested_token_type: `${TYPE}id-jag`,
      ...{ audience: `${authorities.origin}/as`, resource: URL_OF_SERVER },
    });
    expect(await claimsOf(atProvider?.form['subject_token'])).toMatchObject({
      sub: user.id,
      client_id: 'at-idp',
    });
    expect(atServer?.form).toEqual({
      ...{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'the-assertion' },
      ...{ client_id: 'at-as', client_secret: 'as-secret', resource: URL_OF_SERVER },
    });
  });

  it('are not requested from an authorization server that announces no assertions, unless the administrator forces it', async () => {
    profiles = [];
    const { id } = await addUser();
    const { serverId } = await made(idJag());
    expect(await obtain(serverId, id)).toMatchObject({ outcome: 'failed' });
    expect(requests).toEqual([]);
    const audit = await api.dataSource.manager.findOneByOrFail(AuditLogEntity, {
      ...{ resourceType: 'mcp_connections', action: 'refuse' },
    });
    expect(JSON.stringify(audit.after)).toContain('does not announce that it takes assertions');
    const forced = await made(idJag({ allow_unannounced: true }));
    expect(await obtain(forced.serverId, id)).toMatchObject({ outcome: 'refreshed' });
  });

  it.each([
    ['refuses the user', '/exchange', { status: 400, body: { error: 'invalid_grant' } }],
    ['gives no bearer token', '/exchange', { status: 200, body: { access_token: 'a', token_type: 'mac' } }],
    [
      'gives another type of assertion',
      '/idp',
      { status: 200, body: { access_token: 'a', issued_token_type: 'x' } },
    ],
    ['does not take the assertion', '/as/token', { status: 401, body: { error: 'invalid_client' } }],
  ])('are absent while a server %s, and the caller gets no reason', async (_case, path, response) => {
    const { serverId } = await made(path === '/exchange' ? exchange() : idJag());
    const { id } = await addUser();
    responses = { [path]: response };
    await withStoppedClock(async () => {
      expect(await obtain(serverId, id)).toEqual({ outcome: 'failed', version: null });
      expect(await tokenOf(serverId, id)).toBeNull();
      // The server is not called again within three seconds.
      const before = requests.length;
      expect(await obtain(serverId, id)).toMatchObject({ outcome: 'failed' });
      expect(requests).toHaveLength(before);
    });
  });

  it('are only for users who may call the server, and end with that right', async () => {
    const { serverId } = await made(exchange());
    const stranger = await api.user(ours.organisationId, 'member');
    expect(await obtain(serverId, stranger.id)).toMatchObject({ outcome: 'missing' });
    expect(await obtain(serverId, uuidv7())).toMatchObject({ outcome: 'missing' });
    const user = await addUser();
    await obtain(serverId, user.id);
    await api.delete(`/v1/workspaces/${ours.workspaceId}/users/${user.id}`, by);
    expect(await tokenOf(serverId, user.id)).toBeNull();
    expect(await api.dataSource.manager.countBy(McpConnectionEntity, { serverId })).toBe(0);
  });

  it('end when the integration obtains them elsewhere or has another address', async () => {
    const { serverId, integrationId } = await made(exchange());
    const user = await addUser();
    const put = (body: object): Promise<GatewayResponse> =>
      api.put(`${PATH}/${integrationId}`, { ...by, body });
    await obtain(serverId, user.id);
    await put({ name: 'Another name' });
    expect(await tokenOf(serverId, user.id)).toBe('exchanged-1');
    expect((await put({ ...exchange({ audience: 'other' }) })).status).toBe(200);
    expect(await tokenOf(serverId, user.id)).toBeNull();
  });

  it('need no secret at gateways, and have no connect link', async () => {
    const { serverId, slug, integrationId } = await made(idJag());
    const key = documentKey.mcpServer(ours.workspaceId, slug);
    const { [key]: document } = await documents(key);
    expect(document).toMatchObject({
      authType: 'id_jag',
      sealedAuth: null,
    } satisfies Partial<McpServerDocument>);
    expect(JSON.stringify(document)).not.toMatch(/idp-secret|as-secret/);
    const shown = await api.get<{ configurations: { id_jag: object } }>(`${PATH}/${integrationId}`, by);
    expect(shown.body.configurations.id_jag).toMatchObject({
      ...{ client_secret: '*****', server_client_secret: '*****', server_client_id: 'at-as' },
    });
    const [row] = await api.dataSource.query<{ sealed_auth: string }[]>(
      'SELECT sealed_auth FROM mcp_integrations WHERE id = $1',
      [integrationId],
    );
    const binding = mcpAuthBinding(ours.organisationId, integrationId);
    expect(
      JSON.parse(unseal(sealingKeyring(MASTER_KEY), row?.sealed_auth ?? '', binding).toString()),
    ).toEqual({
      ...{ clientSecret: 'idp-secret', serverClientSecret: 'as-secret' },
    });
    const user = await addUser();
    const { organisationId, workspaceId } = ours;
    const userKey = await api.apiKey('workspace-user', { organisationId, workspaceId, userId: user.id }, [
      'mcp.invoke',
    ]);
    expect((await api.post(`/v1/mcp-servers/${serverId}/connect`, { key: userKey })).status).toBe(400);
    const body = { serverId, userId: user.id };
    expect((await api.post(INTERNAL.mcpConnectionLink, { token: SERVICE_TOKEN, body })).body).toEqual({
      url: null,
    });
  });

  it('send each secret only to its own address', async () => {
    const { integrationId } = await made(idJag());
    const { configurations } = idJag({
      ...{ issuer: 'https://evil.example.com', client_secret: '*****', server_client_secret: '*****' },
    }) as { configurations: object };
    const moved = await api.put<Failure>(`${PATH}/${integrationId}`, { ...by, body: { configurations } });
    expect([moved.status, moved.body.error.details?.map(({ path }) => path)]).toEqual([
      400,
      [
        'configurations.id_jag.client_secret',
        'configurations.id_jag.server_client_secret',
        'configurations.id_jag.issuer',
      ],
    ]);
  });

  it.each([
    [
      'plain HTTP',
      { token_endpoint: 'http://idp.example.com/token' },
      'configurations.token_exchange.token_endpoint',
    ],
    ['no client', { client_id: undefined }, 'configurations.token_exchange.client_id'],
    ['an unknown member', { tenant: 'x' }, 'configurations.token_exchange.tenant'],
    ['an unknown method', { auth_method: 'basic' }, 'configurations.token_exchange.auth_method'],
  ])('are refused in configurations with %s', async (_what, more, path) => {
    const { status, body } = await create(exchange(more));
    expect([status, body.error.details?.map((each) => each.path)]).toEqual([400, [path]]);
  });

  it('are not requested from private addresses', async () => {
    const { status, body } = await create(exchange({ token_endpoint: 'https://10.0.0.1/token' }));
    expect([status, body.error.type]).toEqual([400, 'custom_host_refused']);
  });
});
