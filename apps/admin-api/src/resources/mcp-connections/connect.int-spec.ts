import { McpIntegrationEntity, McpOauthClientEntity } from '@gw/entities';
import { sealingKeyring, unseal, uuidv7 } from '@gw/kernel';
import { connectionBinding } from '@gw/mcp';
import { Browser } from '../../platform/oauth/spec-support/browser';
import { MASTER_KEY } from '../../spec-support/admin-api';
import { ConnectScene, PUBLIC_URL } from './spec-support/connect-scene';
import { AuthorizationServer } from './spec-support/upstream';
import { UpstreamDiscovery } from './upstream-discovery';

describe('connections of users to upstream MCP servers', () => {
  const scene = new ConnectScene();
  const { api, ours } = scene;

  it('give gateways only the access token of a connected user', async () => {
    const url = await scene.link();
    expect(url).toMatch(new RegExp(`^${PUBLIC_URL}/oauth/connect/${scene.serverId}\\?t=[\\w-]{22}$`));
    const browser = new Browser(api);
    const page = await scene.signIn(browser, url);
    expect(page.text).toContain('Issue &#60;tracker&#62;');
    expect(page.text).toContain(new URL(scene.upstream.url).host);
    expect(page.text).toContain('<li>issues.read</li>');
    expect(page.text).toContain(`You sign in at <strong>${new URL(scene.as.issuer).host}</strong>`);
    expect(scene.as.requests).toEqual([]);

    const { next, headers } = await scene.press(browser, url, page);
    const sent = new URL(next);
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      ...{ response_type: 'code', code_challenge_method: 'S256', resource: scene.upstream.url },
      ...{ redirect_uri: `${PUBLIC_URL}/oauth/upstream-callback`, scope: 'issues.read' },
    });
    expect(String(headers['set-cookie'])).toMatch(
      /__Host-gw_connect=[\w-]{43}; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax; Secure/,
    );
    const back = await scene.as.agree(next);
    const done = await browser.open(back.href);
    expect(done.status).toBe(200);
    expect(done.text).toContain('You are connected to <strong>Issue &#60;tracker&#62;</strong>');

    const document = await scene.document();
    expect(document).toMatchObject({
      ...{ kind: 'mcp_connection', status: 'connected', isRefreshable: true, scopes: ['issues.read'] },
      ...{ userId: scene.user.id, serverId: scene.serverId, workspaceId: ours.workspaceId },
    });
    const binding = connectionBinding({ ...ours, serverId: scene.serverId, userId: scene.user.id });
    const ring = sealingKeyring(MASTER_KEY);
    const content = JSON.parse(unseal(ring, document?.sealedTokens ?? '', binding).toString()) as object;
    expect(Object.keys(content)).toEqual(['accessToken']);
    const other = connectionBinding({ ...ours, serverId: scene.serverId, userId: uuidv7() });
    expect(() => unseal(ring, document?.sealedTokens ?? '', other)).toThrow();
    const [audit] = await scene.audits();
    expect(audit).toMatchObject({ action: 'create', userId: scene.user.id, responseStatusCode: 200 });
    expect(JSON.stringify(audit)).not.toContain((content as { accessToken: string }).accessToken);
  });

  it('refuse a link of another user, and record who opened it', async () => {
    const url = await scene.link();
    const other = await scene.addUser();
    const page = await scene.signIn(new Browser(api), url, other.email);
    expect(page.status).toBe(403);
    expect(page.text).toContain('This link was made for another user.');
    const [audit] = await scene.audits();
    expect(audit).toMatchObject({
      ...{ action: 'refuse', userId: other.id, responseStatusCode: 403 },
      after: { user_id: scene.user.id, reason: 'A link was opened by another user.' },
    });
    // The link still works for its user.
    expect((await scene.signIn(new Browser(api), url)).text).toContain('Connect Issue');
  });

  it('use a link once, even when its button is pressed twice at the same time', async () => {
    const url = await scene.link();
    const browser = new Browser(api);
    const page = await scene.signIn(browser, url);
    const pressed = await Promise.all([scene.press(browser, url, page), scene.press(browser, url, page)]);
    expect(pressed.filter(({ next }) => next !== '')).toHaveLength(1);
    const again = await browser.open(url);
    expect(again.status).toBe(400);
    expect(again.text).toContain('was used already');
  });

  it('refuse the form of another browser', async () => {
    const url = await scene.link();
    const [browser, thief] = [new Browser(api), new Browser(api)];
    const page = await scene.signIn(browser, url);
    await thief.open(url);
    expect(await scene.press(thief, url, page)).toMatchObject({ status: 403, next: '' });
  });

  it('refuse the state of another browser, and let the right one continue', async () => {
    const browser = new Browser(api);
    const back = await scene.agree(browser, await scene.link());
    const stolen = await new Browser(api).open(back.href);
    expect(stolen.status).toBe(403);
    expect(stolen.text).toContain('The connection was started in another browser.');
    expect((await scene.audits())[0]).toMatchObject({ action: 'refuse', responseStatusCode: 403 });
    expect((await browser.open(back.href)).status).toBe(200);
    const replayed = await browser.open(back.href);
    expect(replayed.status).toBe(400);
  });

  it('refuse a response of another authorization server, and end the sign-in', async () => {
    const browser = new Browser(api);
    const back = await scene.agree(browser, await scene.link());
    const before = scene.as.callsOf('/token');
    const mixed = new URL(back);
    mixed.searchParams.set('iss', 'https://other.example');
    const missing = new URL(back);
    missing.searchParams.delete('iss');
    expect((await browser.open(mixed.href)).text).toContain('of another authorization server');
    expect((await browser.open(missing.href)).status).toBe(400);
    expect((await browser.open(back.href)).status).toBe(400);
    expect(scene.as.callsOf('/token')).toBe(before);
  });

  it('show no text from an authorization server', async () => {
    const browser = new Browser(api);
    const back = await scene.agree(browser, await scene.link());
    back.searchParams.delete('code');
    back.searchParams.set('error', '<b>server_error</b>');
    back.searchParams.set('error_description', 'call +1 555');
    const page = await browser.open(back.href);
    expect(page.status).toBe(403);
    expect(page.text).toContain('The authorization server refused the connection: bserver_errorb');
    expect(page.text).not.toContain('555');
  });

  it('give no link to a service key or an outsider, or for a server without sign-in', async () => {
    const post = (key: string, id: string) => api.post(`/v1/mcp-servers/${id}/connect`, { key });
    expect(await post(ours.key, scene.serverId)).toMatchObject({
      ...{ status: 403, body: { error: { type: 'mcp_connection_required' } } },
    });
    const theirs = await api.tenant();
    expect((await post(theirs.key, scene.serverId)).status).toBe(404);
    const plain = { serverId: uuidv7(), integrationId: uuidv7() };
    await scene.addServer(plain, { authType: 'none' });
    expect((await post(scene.userKey, plain.serverId)).status).toBe(400);
  });

  it('are taken out of use when the server names another authorization server', async () => {
    const user = await scene.addUser();
    const key = await scene.keyOf(user.id);
    await scene.connect({ user, key });
    const other = await AuthorizationServer.start(scene.upstream.url);
    scene.upstream.issuers = [other.issuer];
    try {
      const page = await scene.signIn(new Browser(api), await scene.link(key), user.email);
      expect(page.status).toBe(403);
      expect(page.text).toContain('names another authorization server than before');
      expect(await scene.connection(user.id)).toMatchObject({ status: 'error', issuer: scene.as.issuer });
      expect(await scene.document(user.id)).toBeNull();
      expect((await scene.audits())[0]).toMatchObject({
        ...{ action: 'suspend', after: { issuer: other.issuer, pinned_issuer: scene.as.issuer } },
      });
    } finally {
      scene.upstream.issuers = [scene.as.issuer];
      await other.stop();
    }
    // The pinned server may be any of those that the MCP server names.
    scene.upstream.issuers = ['https://unknown.example', scene.as.issuer];
    await scene.connect({ user, key });
    scene.upstream.issuers = [scene.as.issuer];
    expect(await scene.connection(user.id)).toMatchObject({ status: 'connected' });
  });

  it('refuse authorization servers without S256, and give the reason only in the audit log', async () => {
    const weak = { serverId: uuidv7(), integrationId: uuidv7() };
    await scene.addServer(weak);
    const server = await AuthorizationServer.start(scene.upstream.url);
    server.metadata = {
      issuer: server.issuer,
      authorization_endpoint: `${server.issuer}/auth`,
      token_endpoint: `${server.issuer}/token`,
      code_challenge_methods_supported: ['plain'],
    };
    scene.upstream.issuers = [server.issuer];
    const page = await scene.signIn(new Browser(api), await scene.link(scene.userKey, weak.serverId));
    scene.upstream.issuers = [scene.as.issuer];
    await server.stop();
    expect(page.status).toBe(403);
    expect(page.text).not.toContain('S256');
    expect(JSON.stringify((await scene.audits())[0]?.after)).toContain(
      'code_challenge_methods_supported must have S256.',
    );
  });

  it('register one client for an integration, and publish its document', async () => {
    expect(scene.as.callsOf('/reg')).toBe(1);
    const { status, body } = await api.get(`/oauth/client/${scene.integrationId}.json`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      client_id: `${PUBLIC_URL}/oauth/client/${scene.integrationId}.json`,
      redirect_uris: [`${PUBLIC_URL}/oauth/upstream-callback`],
      token_endpoint_auth_method: 'none',
    });
    for (const name of [`${uuidv7()}.json`, 'x.json', scene.integrationId])
      expect((await api.get(`/oauth/client/${name}`)).status).toBe(404);
  });

  it('register a client again when the authorization server has forgotten it', async () => {
    const { manager } = api.dataSource;
    const registered = scene.as.callsOf('/reg');
    scene.as.refusal = 'invalid_client';
    await expect(scene.connect()).rejects.toThrow('issued no token');
    scene.as.refusal = null;
    expect(await manager.countBy(McpOauthClientEntity, { integrationId: scene.integrationId })).toBe(0);
    await scene.connect();
    expect(scene.as.callsOf('/reg')).toBe(registered + 1);
  });

  it('use the client of an administrator, and the issuer that was confirmed', async () => {
    const theirs = { serverId: uuidv7(), integrationId: uuidv7() };
    const configurations = {
      oauth_metadata: { client_id: 'ours', issuer: 'https://as.example', scope: 'issues.write' },
    };
    await scene.addServer(theirs, { configurations });
    const integration = await api.dataSource.manager.findOneByOrFail(McpIntegrationEntity, {
      id: theirs.integrationId,
    });
    const found = await api.api.app.get(UpstreamDiscovery).discover(integration);
    expect(found).toEqual({ kind: 'changed', pinned: 'https://as.example', issuer: scene.as.issuer });
    configurations.oauth_metadata.issuer = scene.as.issuer;
    await api.dataSource.manager.update(
      McpIntegrationEntity,
      { id: theirs.integrationId },
      { configurations },
    );
    const browser = new Browser(api);
    const url = await scene.link(scene.userKey, theirs.serverId);
    const { next } = await scene.press(browser, url, await scene.signIn(browser, url));
    const { searchParams } = new URL(next);
    expect([searchParams.get('client_id'), searchParams.get('scope')]).toEqual(['ours', 'issues.write']);
  });

  it('have at most 20 links of a user, the newest ones', async () => {
    const first = await scene.link();
    for (let n = 0; n < 20; n += 1) await scene.link();
    expect((await new Browser(api).open(first)).status).toBe(400);
    const [{ count }] = await api.dataSource.query<[{ count: string }]>(
      'SELECT count(*) FROM mcp_connect_tickets WHERE user_id = $1',
      [scene.user.id],
    );
    expect(count).toBe('20');
  });
});
