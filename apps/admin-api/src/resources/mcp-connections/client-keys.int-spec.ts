import { generateKeyPairSync } from 'node:crypto';
import { INTERNAL } from '@gw/contracts';
import { McpIntegrationEntity } from '@gw/entities';
import { STUB_ACCESS, StubSecretManagers } from '@gw/testing';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Browser } from '../../platform/oauth/spec-support/browser';
import { openTokens } from '../../platform/mcp/connection-tokens';
import { UpstreamRevocations } from '../../platform/mcp/upstream-revocations';
import { SERVICE_TOKEN } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { Secrets } from '../../settings';
import { ConnectScene } from './spec-support/connect-scene';

const PATH = '/v1/mcp-integrations';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const KEY = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
/** A line of the key, which would occur in a request that leaks the key. */
const TRACE = KEY.split('\n')[1] ?? '';

describe('clients of upstream authorization servers that sign assertions', () => {
  const scene = new ConnectScene();
  const { api, ours } = scene;
  const by = { key: ours.adminKey };
  let clientId: string;

  beforeAll(async () => {
    clientId = await registered(['authorization_code', 'refresh_token']);
  });
  afterEach(() => {
    scene.as.metadata = null;
  });

  /**
   * Registers a client with its public key at the authorization server, and returns the client id.
   */
  async function registered(grantTypes: readonly string[]): Promise<string> {
    const isOfUsers = grantTypes.includes('authorization_code');
    const response = await fetch(`${scene.as.issuer}/reg`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({
        redirect_uris: isOfUsers ? ['https://gateway.example.com/oauth/upstream-callback'] : [],
        response_types: isOfUsers ? ['code'] : [],
        ...{ grant_types: grantTypes, token_endpoint_auth_method: 'private_key_jwt' },
        jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] },
      }),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(text);
    return (JSON.parse(text) as { client_id: string }).client_id;
  }

  const client = (more: object = {}): object => ({
    ...{ client_id: clientId, auth_method: 'private_key_jwt', issuer: scene.as.issuer, key_id: 'one' },
    ...{ private_key: KEY, ...more },
  });
  const integration = (more: object = {}): object => ({
    ...{ name: 'Signed', url: scene.upstream.url, auth_type: 'oauth_auto', transport: 'http' },
    ...{ configurations: { oauth_metadata: client() }, ...more },
  });

  interface Place {
    readonly serverId: string;
    readonly integrationId: string;
  }
  async function addServer(body = integration()): Promise<Place> {
    const made = await api.post<{ id: string }>(PATH, { ...by, body });
    expect([made.status, made.text]).toEqual([200, expect.any(String)]);
    const workspaces = [{ id: ours.workspaceId, enabled: true }];
    await api.put(`${PATH}/${made.body.id}/workspaces`, { ...by, body: { workspaces } });
    const server = await api.post<{ id: string }>('/v1/mcp-servers', {
      ...{ key: ours.key, body: { name: 'Signed', mcp_integration_id: made.body.id } },
    });
    return { serverId: server.body.id, integrationId: made.body.id };
  }
  async function connect(serverId: string): Promise<string> {
    const user = await scene.addUser();
    await scene.connect({ user, key: await scene.keyOf(user.id), serverId });
    return user.id;
  }
  async function refresh(serverId: string, userId: string): Promise<unknown> {
    const { version } = (await scene.document(userId, serverId)) ?? {};
    const body = { serverId, userId, version };
    return (await api.post(INTERNAL.mcpConnectionRefresh, { token: SERVICE_TOKEN, body })).body;
  }
  const tokenForms = (): readonly URLSearchParams[] =>
    scene.as.requests.filter(({ path }) => path === '/token').map(({ form }) => form);

  /**
   * Visits a link of a server and presses its button. Returns the page, and the URL to which the
   * browser goes.
   */
  async function begin(serverId: string) {
    const user = await scene.addUser();
    const browser = new Browser(api);
    const link = await scene.link(await scene.keyOf(user.id), serverId);
    const page = await scene.signIn(browser, link, user.email);
    return page.status === 200 ? scene.press(browser, link, page) : { ...page, next: '' };
  }

  it('connect and refresh with a new assertion each time, which is valid only for this server', async () => {
    const { serverId } = await addServer();
    const before = tokenForms().length;
    const userId = await connect(serverId);
    expect(await refresh(serverId, userId)).toMatchObject({ outcome: 'refreshed' });
    const forms = tokenForms().slice(before);
    const claims = forms.map((form) => decodeJwt(form.get('client_assertion') ?? ''));
    expect(claims).toHaveLength(2);
    for (const each of claims)
      expect(each).toMatchObject({ iss: clientId, sub: clientId, aud: scene.as.issuer });
    expect(claims[0]?.jti).not.toBe(claims[1]?.jti);
    const [form] = forms;
    expect(decodeProtectedHeader(form?.get('client_assertion') ?? '')).toEqual({
      ...{ alg: 'ES256', kid: 'one', typ: 'JWT' },
    });
    expect([form?.has('client_secret'), form?.toString().includes(TRACE)]).toEqual([false, false]);
  });

  it('keep their key out of connections and responses', async () => {
    const { serverId, integrationId } = await addServer();
    const userId = await connect(serverId);
    const row = await scene.connection(userId, serverId);
    const tokens = openTokens(api.api.app.get(Secrets).sealingKeyring, row as never, row?.sealedTokens ?? '');
    expect(JSON.stringify(tokens)).not.toContain(TRACE);
    const { text } = await api.get(`${PATH}/${integrationId}`, by);
    expect(text).not.toContain(TRACE);
    expect(JSON.parse(text)).toMatchObject({ configurations: { oauth_metadata: { private_key: '*****' } } });
  });

  it('revoke the tokens at the server with an assertion when the user leaves', async () => {
    const { serverId } = await addServer();
    const userId = await connect(serverId);
    const before = scene.as.callsOf('/token/revocation');
    expect((await api.delete(`/v1/users/${userId}`, by)).status).toBe(200);
    // The first run may be one that was already in progress.
    for (let n = 0; n < 2; n += 1) await api.api.app.get(UpstreamRevocations).run();
    expect(scene.as.callsOf('/token/revocation')).toBe(before + 1);
    const form = scene.as.requests.at(-1)?.form;
    expect(decodeJwt(form?.get('client_assertion') ?? '')).toMatchObject({ aud: scene.as.issuer });
    expect(form?.has('client_secret')).toBe(false);
  });

  describe('at a hostile authorization server', () => {
    const hostile = (more: object): object => ({
      issuer: scene.as.issuer,
      authorization_endpoint: `${scene.as.issuer}/auth`,
      token_endpoint: `${scene.as.issuer}/token`,
      code_challenge_methods_supported: ['S256'],
      ...more,
    });

    it('send no secret, whatever methods it announces', async () => {
      const { serverId } = await addServer();
      scene.as.metadata = hostile({ token_endpoint_auth_methods_supported: ['client_secret_post', 'none'] });
      await connect(serverId);
      const form = tokenForms().at(-1);
      expect(decodeJwt(form?.get('client_assertion') ?? '')).toMatchObject({ aud: scene.as.issuer });
      expect([form?.has('client_secret'), form?.toString().includes(TRACE)]).toEqual([false, false]);
    });

    it.each([['HS256'], ['none'], ['RS256']])('do not use the algorithm %s', async (algorithm) => {
      const { serverId } = await addServer();
      scene.as.metadata = hostile({ token_endpoint_auth_signing_alg_values_supported: [algorithm] });
      const before = tokenForms().length;
      const { status, next } = await begin(serverId);
      expect([status, next]).toEqual([403, '']);
      expect(tokenForms()).toHaveLength(before);
      expect((await scene.audits())[0]).toMatchObject({
        ...{ action: 'refuse', after: { reason: expect.stringContaining('takes no signature') } },
      });
    });

    it('do not sign in without S256', async () => {
      const { serverId } = await addServer();
      scene.as.metadata = hostile({ code_challenge_methods_supported: ['plain'] });
      expect(await begin(serverId)).toMatchObject({ status: 403, next: '' });
    });
  });

  it.each([
    ['key', {}],
    [
      'secret',
      { auth_method: undefined, private_key: undefined, key_id: undefined, client_secret: 'a-secret' },
    ],
  ])('refuse a sign-in, and record the reason, when their %s cannot be opened', async (_what, more) => {
    const configurations = { oauth_metadata: client(more) };
    const { serverId, integrationId } = await addServer(integration({ configurations }));
    const sealedAuth = 'v1.lost.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    await api.dataSource.manager.update(McpIntegrationEntity, { id: integrationId }, { sealedAuth });
    const { status, next } = await begin(serverId);
    expect([status, next]).toEqual([403, '']);
    expect((await scene.audits())[0]).toMatchObject({
      ...{ action: 'refuse', after: { reason: expect.stringContaining('cannot be opened') } },
    });
  });

  it('keep their key for the authorization server with which it was saved', async () => {
    const { integrationId } = await addServer();
    const put = (more: object) =>
      api.put<Failure>(`${PATH}/${integrationId}`, {
        ...{ ...by, body: { configurations: { oauth_metadata: client(more) } } },
      });
    const moved = await put({ issuer: 'https://other.example.com', private_key: '*****' });
    expect([moved.status, moved.body.error.details?.map(({ path }) => path)]).toEqual([
      400,
      ['configurations.oauth_metadata.private_key', 'configurations.oauth_metadata.issuer'],
    ]);
    const leaked = await put({ auth_method: undefined, private_key: undefined, client_secret: 'a-secret' });
    expect(leaked.body.error.details?.map(({ path }) => path)).toContain(
      'configurations.oauth_metadata.private_key',
    );
    expect((await put({ private_key: '*****', scope: 'issues.read' })).status).toBe(200);
  });

  it('sign nothing for the authorization server of an earlier configuration', async () => {
    const { serverId, integrationId } = await addServer();
    const userId = await connect(serverId);
    const before = tokenForms().length;
    const body = { configurations: { oauth_metadata: client({ issuer: 'https://other.example.com' }) } };
    expect((await api.put(`${PATH}/${integrationId}`, { ...by, body })).status).toBe(200);
    expect(await refresh(serverId, userId)).toMatchObject({ outcome: 'failed' });
    expect(tokenForms()).toHaveLength(before);
    await api.dataSource.manager.update(McpIntegrationEntity, { id: integrationId }, { status: 'archived' });
    expect(await refresh(serverId, userId)).not.toMatchObject({ outcome: 'refreshed' });
    expect(tokenForms()).toHaveLength(before);
  });

  it('read a key in a secret manager for each request', async () => {
    const managers = await StubSecretManagers.start();
    try {
      managers.secrets.set('secret/data/key', JSON.stringify({ value: KEY }));
      const reference = await api.post<{ id: string }>('/v1/secret-references', {
        ...by,
        body: {
          ...{ name: 'Key', manager_type: 'vendor3_vault', secret_path: 'secret/data/key' },
          auth_config: {
            ...{ vault_auth_type: 'token', vault_addr: managers.origin, vault_token: STUB_ACCESS.vaultToken },
          },
        },
      });
      const { serverId } = await addServer(
        integration({
          configurations: { oauth_metadata: client({ private_key: undefined }) },
          secret_mappings: [
            { target_field: 'private_key', secret_reference_id: reference.body.id, secret_key: 'value' },
          ],
        }),
      );
      const userId = await connect(serverId);
      expect(await refresh(serverId, userId)).toMatchObject({ outcome: 'refreshed' });
      managers.secrets.set('secret/data/key', JSON.stringify({ value: 'no key' }));
      expect(await refresh(serverId, userId)).toMatchObject({ outcome: 'failed' });
      expect(await scene.connection(userId, serverId)).toMatchObject({ status: 'connected' });
    } finally {
      await managers.stop();
    }
  });

  it('get tokens for themselves by client credentials', async () => {
    const id = await registered(['client_credentials']);
    const { body } = await api.post<{ id: string }>(PATH, {
      ...by,
      body: integration({
        auth_type: 'oauth_client_credentials',
        configurations: {
          oauth_client_credentials: client({ client_id: id, token_endpoint: `${scene.as.issuer}/token` }),
        },
      }),
    });
    const before = tokenForms().length;
    const tested = await api.post<{ error?: string }>(`${PATH}/${body.id}/test`, { ...by, body: {} });
    const [form] = tokenForms().slice(before);
    expect(form?.get('grant_type')).toBe('client_credentials');
    expect(decodeJwt(form?.get('client_assertion') ?? '')).toMatchObject({ iss: id, aud: scene.as.issuer });
    // The authorization server accepts the client; the MCP server refuses every token.
    expect(tested.text).not.toContain('credential could not be obtained');
  });
});
