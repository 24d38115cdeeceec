import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { documentKey, type McpServerDocument } from '@gw/contracts';
import { oauthPepper } from '@gw/kernel';
import { accessTokenHash } from '@gw/oauth';
import { eventually, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness, ORGANISATION_ID, WORKSPACE_ID } from '../../spec-support/harness';
import { member, saveCatalogue, saveToolset } from '../spec-support/aggregate';
import { saveServer, serverDocument } from '../spec-support/mcp-server';

const INFO = { name: 'spec', version: '1' };
/** 0.01 USD in units of 1e-8. */
const CENT = 1_000_000;
const TOOLS = {
  old: { name: 'old__test_elicitation', arguments: { message: 'Who?' } },
  new: { name: 'new__test_input_required_result_elicitation', arguments: {} },
} as const;
const ANSWER = {
  action: 'accept' as const,
  content: { response: 'yes', name: 'Ada', username: 'ada', email: 'a@b.example' },
};

describe('sessions and calls at addresses with several servers', () => {
  let gateway: GatewayHarness;
  let legacy: McpFixture;
  let modern: McpFixture;
  let documents: Record<'old' | 'new', McpServerDocument>;
  const clients: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    [legacy, modern] = await Promise.all([
      startMcpFixture({ era: 'legacy' }),
      startMcpFixture({ era: 'modern' }),
    ]);
    documents = {
      old: await serverDocument(legacy.url, 'old', { name: 'Old server' }),
      new: await serverDocument(modern.url, 'new', { name: 'New server' }),
    };
  });
  beforeEach(() => {
    for (const document of Object.values(documents)) saveServer(gateway, document);
    saveCatalogue(gateway, Object.values(documents));
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  afterAll(async () => {
    await Promise.all([legacy.close(), modern.close()]);
    await gateway.stop();
  });

  const url = (path: string): URL => new URL(`http://127.0.0.1:${String(gateway.port)}${path}`);
  async function connected(path = '/mcp', key = gateway.apiKey): Promise<Client> {
    const client = new Client(INFO, { capabilities: { elicitation: {} } });
    const requestInit = { headers: { 'x-gw-api-key': key } };
    await client.connect(new StreamableHTTPClientTransport(url(path), { requestInit }));
    clients.push(client);
    return client;
  }

  it.each(['old', 'new'] as const)(
    'forwards an elicitation of the server %s with its name to clients of SDK 1',
    async (slug) => {
      const client = await connected();
      const questions: string[] = [];
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        questions.push(params.message);
        return ANSWER;
      });
      const result = await client.callTool(TOOLS[slug]);
      expect(questions).toEqual([expect.stringContaining(`${documents[slug].name}: `)]);
      expect(JSON.stringify(result.content)).toContain('Ada');
    },
  );

  it.each(['old', 'new'] as const)(
    'forwards an elicitation of the server %s with its name to clients of SDK 2',
    async (slug) => {
      const client = new ModernClient(INFO, {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: 'auto' },
      });
      const questions: string[] = [];
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params.message);
        return ANSWER;
      });
      const requestInit = { headers: { 'x-gw-api-key': gateway.apiKey } };
      await client.connect(new ModernTransport(url('/mcp'), { requestInit }));
      clients.push(client);
      const result = await client.callTool(TOOLS[slug]);
      expect(questions).toEqual([expect.stringContaining(`${documents[slug].name}: `)]);
      expect(JSON.stringify(result)).toContain('Ada');
    },
  );

  it('reports progress, and cancels a call at its server', async () => {
    const client = await connected();
    const seen: unknown[] = [];
    const leaving = new AbortController();
    const call = client.callTool({ name: 'old__slow', arguments: { ms: 20_000 } }, undefined, {
      onprogress: (progress) => {
        seen.push(progress);
        leaving.abort();
      },
      signal: leaving.signal,
    });
    await expect(call).rejects.toThrow();
    expect(seen).toEqual([expect.objectContaining({ progress: 1, total: 2 })]);
    await eventually(() => Promise.resolve(legacy.cancelled.includes('slow')));
  });

  it('announces changed lists once for changes of several members', async () => {
    const client = await connected();
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    await client.listTools();
    for (const document of Object.values(documents))
      saveServer(gateway, { ...document, capabilities: document.capabilities.slice(1) });
    await eventually(() => Promise.resolve(changes > 0));
    const { tools } = await client.listTools();
    expect(changes).toBe(1);
    expect(tools.some(({ name }) => name.endsWith(`__${documents.old.capabilities[0]?.name ?? ''}`))).toBe(
      false,
    );
  });

  it('watches resources of both members, under the URIs that the client knows', async () => {
    const client = await connected();
    const updated: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      updated.push(params.uri);
    });
    const uri = 'test://watched-resource';
    for (const each of [uri, `gw+new:${uri}`]) await client.subscribeResource({ uri: each });
    await eventually(async () => {
      await Promise.all([legacy.notifyResourceUpdated(uri), modern.notifyResourceUpdated(uri)]);
      return updated.includes(uri) && updated.includes(`gw+new:${uri}`);
    });
    await client.setLoggingLevel('error');
  });

  it('forwards no log messages below the level of the session, also of servers that it called later', async () => {
    const client = await connected();
    const seen: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      seen.push(params.level);
    });
    await client.callTool({ name: 'old__test_tool_with_logging', arguments: {} });
    expect(seen.length).toBeGreaterThan(0);
    await client.setLoggingLevel('emergency');
    seen.length = 0;
    for (const name of ['old__test_tool_with_logging', 'new__test_tool_with_logging'])
      await client.callTool({ name, arguments: {} });
    expect(seen).toEqual([]);
  });

  it('completes arguments of prompts and templates at their servers', async () => {
    const client = await connected();
    for (const slug of ['old', 'new']) {
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: `${slug}__test_prompt_with_arguments` },
        argument: { name: 'arg1', value: 'te' },
      });
      expect(Array.isArray(completion.values)).toBe(true);
    }
    await expect(
      client.complete({ ref: { type: 'ref/prompt', name: 'x__y' }, argument: { name: 'a', value: '' } }),
    ).rejects.toMatchObject({ code: -32_602 });
    const uri = 'gw+new:test://template/7/data';
    expect((await client.readResource({ uri })).contents).toMatchObject([{ uri }]);
  });

  it('accepts a session only at its own address', async () => {
    saveToolset(gateway, { slug: 'both', members: [member(documents.old), member(documents.new)] });
    const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(url(path), {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          ...{ 'x-gw-api-key': gateway.apiKey, ...headers },
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
      });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO };
    const opened = await post('/mcp', { method: 'initialize', params });
    expect(await opened.json()).toMatchObject({
      result: {
        serverInfo: { name: 'tollgate' },
        capabilities: { tools: { listChanged: true }, prompts: {} },
      },
    });
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const ping = { method: 'ping' };
    expect((await post('/main/-/mcp', ping, headers)).status).toBe(200);
    for (const path of ['/both/mcp', '/old/mcp', '/main/new/mcp'])
      expect((await post(path, ping, headers)).status).toBe(404);
  });

  it('[MCP-02] spends a budget of 1 USD exactly on 200 concurrent calls of tools of two servers', async () => {
    const apiKey = 'costKey0000000000000000000000AB1';
    const budget = { periodicReset: null, periodicResetDays: null, nextResetAt: null, alertThreshold: null };
    gateway.addKey(apiKey, {
      ...{ id: 'cost-key', scopes: ['mcp.invoke'] },
      usageLimits: [{ ...budget, type: 'cost', creditLimit: 1, status: 'active' }],
    });
    for (const document of Object.values(documents))
      saveServer(gateway, { ...document, prices: { default: 0, tools: { echo: CENT } } });
    await gateway.takeRecords();
    const echoes = (): number => (legacy.calls.get('echo') ?? 0) + (modern.calls.get('echo') ?? 0);
    const before = echoes();
    const callers = await Promise.all(Array.from({ length: 10 }, () => connected('/mcp', apiKey)));
    const results = await Promise.allSettled(
      callers.flatMap((client) =>
        Array.from({ length: 20 }, (_, at) =>
          client.callTool({ name: at % 2 === 0 ? 'old__echo' : 'new__echo', arguments: { text: 'hi' } }),
        ),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    expect(echoes() - before).toBe(100);
    const records = (await gateway.records()).filter(({ route }) => route === 'mcp.tools.call');
    const charges = records.flatMap(({ decision }) => decision.charges ?? []);
    expect(charges.reduce((sum, { cost }) => sum + (cost ?? 0), 0)).toBe(100 * CENT);
    expect(new Set(charges.map(({ provider }) => provider))).toEqual(new Set(['old', 'new']));
  });

  const TOKEN = `pat_${'t'.repeat(43)}`;
  /** Saves an access token as the control plane publishes it. */
  function saveToken(resourcePath: string, targetId: string): void {
    const hash = accessTokenHash(oauthPepper(gateway.master), TOKEN) ?? '';
    gateway.documents.set(documentKey.accessToken(hash), {
      ...{ kind: 'access_token', version: resourcePath + targetId, grantId: 'grant', userId: 'user' },
      ...{ clientId: 'gw_client', clientName: 'Editor', resourcePath, targetId, scopes: ['mcp.invoke'] },
      ...{ organisationId: ORGANISATION_ID, workspaceId: WORKSPACE_ID },
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
  }
  const initialized = (path: string, credential = TOKEN): Promise<Response> =>
    fetch(url(path), {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        authorization: `Bearer ${credential}`,
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
      }),
    });

  it('admits only tokens that were issued for the address itself', async () => {
    const statuses: Record<string, number[]> = {};
    const paths = ['/mcp', '/main/-/mcp', '/old/mcp', '/main/old/mcp'];
    for (const resourcePath of paths) {
      saveToken(resourcePath, resourcePath.includes('old') ? documents.old.id : WORKSPACE_ID);
      statuses[resourcePath] = [];
      for (const path of paths) {
        const response = await initialized(path);
        statuses[resourcePath].push(response.status);
        if (response.status === 401)
          expect(response.headers.get('www-authenticate')).toContain(
            `/.well-known/oauth-protected-resource${path}"`,
          );
      }
    }
    expect(statuses).toEqual({
      '/mcp': [200, 401, 401, 401],
      '/main/-/mcp': [401, 200, 401, 401],
      '/old/mcp': [401, 401, 200, 401],
      '/main/old/mcp': [401, 401, 401, 200],
    });
  });

  it('admits no token of a server or toolset whose slug it has taken over', async () => {
    const path = '/reused/mcp';
    const server = { ...documents.old, slug: 'reused', id: randomUUID() };
    const statuses: number[] = [];
    const next = async (): Promise<void> => {
      statuses.push((await initialized(path)).status, (await initialized(path, gateway.apiKey)).status);
    };
    saveToken(path, server.id);
    saveServer(gateway, server);
    await next();
    saveServer(gateway, { ...server, id: randomUUID() });
    await next();
    gateway.documents.remove(documentKey.mcpServer(WORKSPACE_ID, 'reused'));
    await next();
    const toolset = saveToolset(gateway, { slug: 'reused', members: [member(documents.old)] });
    await next();
    saveToken(path, toolset.id);
    await next();
    saveToolset(gateway, { slug: 'reused', members: [member(documents.old)] });
    await next();
    saveToken(path, WORKSPACE_ID);
    await next();
    expect(statuses).toEqual([200, 200, 401, 200, 404, 404, 401, 200, 200, 200, 401, 200, 401, 200]);
    const refused = await initialized(path);
    expect(refused.headers.get('www-authenticate')).toContain(`error="invalid_token", resource_metadata="`);
  });
});
