import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { documentKey, INTERNAL, type McpApprovalRequest, type McpServerDocument } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { connectionBinding } from '@gw/mcp';
import { eventually, modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';

const USER = '0a000000-0000-4000-8000-0000000000aa';
const LINK = 'https://tollgate.example/oauth/connect/x?t=y';

describe('servers at which users sign in themselves', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let server: McpServerDocument;
  let controlPlane: Server;
  let refreshes = 0;
  let version = 0;
  const narrow = new Set<string>();
  let widened: unknown = null;
  let link: string | null = LINK;
  const continued: McpApprovalRequest['continues'][] = [];
  /** Whether the control plane gets no token. */
  let isAway = false;

  beforeAll(async () => {
    controlPlane = createServer((req, res) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of req) chunks.push(chunk as Buffer);
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        const isRefresh = req.url === INTERNAL.mcpConnectionRefresh;
        if (isRefresh && !isAway) {
          refreshes += 1;
          connect('good');
        }
        if (req.url === INTERNAL.mcpConnectionScopes) widened = body;
        res.setHeader('content-type', 'application/json');
        if (req.url === INTERNAL.mcpApproval) {
          continued.push((body as McpApprovalRequest).continues);
          res.end(JSON.stringify({ outcome: 'approved', id: 'approval', round: continued.length }));
          return;
        }
        res.end(
          JSON.stringify(
            isRefresh
              ? { outcome: isAway ? 'failed' : 'refreshed', version: String(version) }
              : { url: link },
          ),
        );
      })();
    });
    await new Promise<void>((resolve) => controlPlane.listen(0, '127.0.0.1', resolve));
    const { port } = controlPlane.address() as AddressInfo;
    gateway = await GatewayHarness.start({ ADMIN_URL: `http://127.0.0.1:${String(port)}` });
    gateway.addKey(gateway.apiKey, { type: 'workspace-user', userId: USER, scopes: ['mcp.invoke'] });
    const open = await startMcpFixture();
    const document = await serverDocument(open.url, 'mail');
    await open.close();
    fixture = await startMcpFixture({
      authorization: {
        ...{ tokens: ['good'], narrowTokens: narrow, authorizationServer: 'https://as.example' },
        scopes: ['issues.read', 'issues.write'],
      },
    });
    server = { ...document, url: fixture.url.href, authType: 'oauth_auto' };
    saveServer(gateway, server);
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
    await new Promise((resolve) => controlPlane.close(resolve));
  });

  function connect(accessToken: string, expiresInMs = 3_600_000, renewInMs = expiresInMs): void {
    version += 1;
    const owner = { organisationId: ORGANISATION_ID, serverId: server.id, userId: USER };
    gateway.documents.set(documentKey.mcpConnection(server.id, USER), {
      ...{ kind: 'mcp_connection', version: String(version), ...owner, workspaceId: WORKSPACE_ID },
      sealedTokens: seal(
        sealingKeyring(gateway.master),
        JSON.stringify({ accessToken }),
        connectionBinding(owner),
      ),
      expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
      renewFrom: new Date(Date.now() + renewInMs).toISOString(),
      ...{ isRefreshable: true, status: 'connected', scopes: [] },
    });
  }
  const disconnect = (): void => gateway.documents.remove(documentKey.mcpConnection(server.id, USER));

  async function call(capabilities: object = {}, apiKey = gateway.apiKey): Promise<Record<string, unknown>> {
    const echo = { name: 'echo', arguments: { text: 'hi' } };
    const response = await fetch(
      `http://127.0.0.1:${String(gateway.port)}/main/mail/mcp`,
      modernRequest(apiKey, 'tools/call', echo, capabilities),
    );
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '')) as Record<
      string,
      unknown
    >;
  }

  it('refer a user without a connection to the page on which to connect', async () => {
    disconnect();
    expect(await call({ elicitation: { url: {} } })).toMatchObject({
      result: {
        resultType: 'input_required',
        inputRequests: { connect: { method: 'elicitation/create', params: { mode: 'url', url: LINK } } },
      },
    });
    const { result } = await call();
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'gw/error': { type: 'mcp_connection_required' } },
    });
    expect(JSON.stringify(result)).toContain(LINK);
  });

  it('refuse a key that belongs to no user, without a link', async () => {
    gateway.addKey('serviceKey000000000000000000000A', { scopes: ['mcp.invoke'] });
    const body = JSON.stringify(await call({}, 'serviceKey000000000000000000000A'));
    expect(body).toContain('mcp_connection_required');
    expect(body).not.toContain(LINK);
  });

  it('get the token of the user, until the connection is removed', async () => {
    connect('good');
    expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
    expect(fixture.requests.at(-1)?.headers['authorization']).toBe('Bearer good');
    disconnect();
    expect(JSON.stringify(await call())).toContain('mcp_connection_required');
  });

  it('get a token that is renewed once for many calls when it is about to expire', async () => {
    connect('old', 1_000);
    refreshes = 0;
    const results = await Promise.all(Array.from({ length: 10 }, () => call()));
    for (const result of results) expect(result).toMatchObject({ result: { content: [{ text: 'hi' }] } });
    expect(refreshes).toBe(1);
  });

  it('have a token renewed before it expires, while calls still use it', async () => {
    connect('good', 120_000, -1_000);
    const before = version;
    refreshes = 0;
    expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
    await eventually(() => Promise.resolve(version > before));
    expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
    expect(refreshes).toBe(1);
  });

  it('refer a user to a sign-in for the scopes that they require, and keep the connection', async () => {
    connect('narrow');
    narrow.add('narrow');
    refreshes = 0;
    expect(await call({ elicitation: { url: {} } })).toMatchObject({
      result: { inputRequests: { connect: { params: { mode: 'url', url: LINK } } } },
    });
    const scopes = ['issues.read', 'issues.write'];
    expect(widened).toEqual({ serverId: server.id, userId: USER, scopes });
    expect(refreshes).toBe(0);
    // The user has granted them already, so a link would have no use.
    link = null;
    const { result } = await call({ elicitation: { url: {} } });
    expect(result).toMatchObject({ isError: true, _meta: { 'gw/error': { type: 'provider_error' } } });
    link = LINK;
  });

  it('are called with scopes that a user has just granted, before the change reaches the gateway', async () => {
    const key = documentKey.mcpConnection(server.id, USER);
    const reload = jest.spyOn(gateway.documents, 'reload');
    let reads = 0;
    const arrives = (change: () => void): void => {
      reload.mockImplementation((wanted) => {
        if (wanted === key) {
          reads += 1;
          change();
        }
        return Promise.resolve(gateway.documents.get(wanted));
      });
    };
    try {
      disconnect();
      arrives(() => connect('good'));
      expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
      connect('narrow');
      link = null;
      expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
      expect(reads).toBe(2);
      // A server that refuses the new token as well is not called repeatedly.
      connect('narrow');
      arrives(() => connect('narrow'));
      const { result } = await call();
      expect(result).toMatchObject({ isError: true, _meta: { 'gw/error': { type: 'provider_error' } } });
      expect(reads).toBe(4);
    } finally {
      reload.mockRestore();
      link = LINK;
    }
  });

  it('get a renewed token when they refuse the known one', async () => {
    connect('revoked');
    refreshes = 0;
    expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
    expect(refreshes).toBe(1);
  });

  it('use up one approval for a call that is sent again with a renewed token', async () => {
    const subject = { type: 'user' as const, id: USER };
    saveServer(gateway, { ...server, rules: [{ subject, tools: ['echo'], effect: 'ask', when: [] }] });
    for (const token of ['good', 'revoked']) {
      connect(token);
      expect(await call()).toMatchObject({ result: { content: [{ text: 'hi' }] } });
    }
    expect(continued).toEqual([null, null]);
    saveServer(gateway, server);
  });

  it('get a token that the control plane exchanges, once for many calls and without a sign-in', async () => {
    disconnect();
    saveServer(gateway, { ...server, authType: 'token_exchange' });
    refreshes = 0;
    const results = await Promise.all(Array.from({ length: 5 }, () => call({ elicitation: { url: {} } })));
    for (const result of results) expect(result).toMatchObject({ result: { content: [{ text: 'hi' }] } });
    expect(refreshes).toBe(1);
    saveServer(gateway, server);
  });

  it('cause no link if the control plane exchanges tokens and got none', async () => {
    disconnect();
    saveServer(gateway, { ...server, authType: 'id_jag' });
    isAway = true;
    const body = await call({ elicitation: { url: {} } });
    isAway = false;
    expect(body).toMatchObject({ error: { data: { type: 'provider_credential_failed' } } });
    expect(JSON.stringify(body)).not.toContain(LINK);
    gateway.addKey('serviceKey000000000000000000000A', { scopes: ['mcp.invoke'] });
    const other = JSON.stringify(await call({}, 'serviceKey000000000000000000000A'));
    expect(other).toContain('mcp_connection_required');
    saveServer(gateway, server);
  });

  it('never see the token of another user', async () => {
    disconnect();
    const owner = { organisationId: ORGANISATION_ID, serverId: server.id, userId: USER };
    const other = { ...owner, userId: '0a000000-0000-4000-8000-0000000000bb' };
    connect('good');
    const known = gateway.documents.get(documentKey.mcpConnection(server.id, USER));
    const sealed = seal(
      sealingKeyring(gateway.master),
      JSON.stringify({ accessToken: 'good' }),
      connectionBinding(other),
    );
    gateway.documents.set(documentKey.mcpConnection(server.id, USER), {
      ...known,
      sealedTokens: sealed,
    } as never);
    expect(await call()).toMatchObject({ error: { code: -32_603 } });
  });
});
