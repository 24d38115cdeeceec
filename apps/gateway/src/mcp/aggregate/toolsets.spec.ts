import type { McpServerDocument } from '@gw/contracts';
import { modernRequest, startMcpFixture, type McpFixture } from '@gw/testing';
import { GatewayHarness, OTHER_WORKSPACE_ID } from '../../spec-support/harness';
import { member, saveCatalogue, saveToolset } from '../spec-support/aggregate';
import { saveServer, serverDocument } from '../spec-support/mcp-server';

const OTHER_KEY = 'otherKey000000000000000000000AB1';
const FOREIGN_KEY = 'foreignKey0000000000000000000AB1';

interface Body {
  readonly result?: {
    readonly tools?: readonly { name: string; description?: string; inputSchema: object }[];
    readonly nextCursor?: string;
    readonly content?: readonly { text: string }[];
    readonly structuredContent?: { tools: { name: string }[] };
    readonly isError?: boolean;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

describe('toolsets at the gateway', () => {
  let gateway: GatewayHarness;
  let fixture: McpFixture;
  let github: McpServerDocument;
  let jira: McpServerDocument;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
    for (const key of [gateway.apiKey, OTHER_KEY]) gateway.addKey(key, { id: key, scopes: ['mcp.invoke'] });
    gateway.addKey(FOREIGN_KEY, { workspaceId: OTHER_WORKSPACE_ID, scopes: ['mcp.invoke'] });
    fixture = await startMcpFixture();
    github = await serverDocument(fixture.url, 'github');
    jira = await serverDocument(fixture.url, 'jira');
  });
  beforeEach(() => {
    for (const document of [github, jira]) saveServer(gateway, document);
    saveCatalogue(gateway, [github, jira]);
  });
  afterAll(async () => {
    await fixture.close();
    await gateway.stop();
  });

  async function request(
    path: string,
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    key = gateway.apiKey,
    headers: Record<string, string> = {},
  ): Promise<Body> {
    const init = modernRequest(key, method, params);
    const response = await fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, {
      ...init,
      headers: { ...init.headers, ...headers },
    });
    return (await response.json()) as Body;
  }
  const call = (path: string, name: string, args: object = {}, key = gateway.apiKey): Promise<Body> =>
    request(path, 'tools/call', { name, arguments: args }, key);
  const toolsOf = async (path: string, key = gateway.apiKey): Promise<string[]> => {
    const { result } = await request(path, 'tools/list', {}, key);
    return (result?.tools ?? []).map(({ name }) => name);
  };
  const sentArguments = (): unknown => {
    const messages = fixture.requests.map(({ message }) => message as { method?: string; params?: object });
    return messages.filter(({ method }) => method === 'tools/call').at(-1)?.params;
  };

  it('show the selected tools in the order of members, under prefixes and aliases, with their overrides', async () => {
    saveToolset(gateway, {
      slug: 'desk',
      instructions: 'Be brief.',
      members: [
        member(jira, { prefix: '', include: ['e*', 'add'], exclude: ['ech*'], aliases: { add: 'sum' } }),
        member(github, {
          prefix: 'code',
          include: ['echo'],
          overrides: { echo: { title: 'Repeat', description: 'Repeats.' } },
        }),
      ],
    });
    const { result } = await request('/desk/mcp', 'tools/list');
    expect(result?.tools).toEqual([
      expect.objectContaining({ name: 'sum' }),
      expect.objectContaining({ name: 'code__echo', title: 'Repeat', description: 'Repeats.' }),
    ]);
    expect(await call('/main/desk/mcp', 'sum', { a: 1, b: 2 })).toMatchObject({
      result: { structuredContent: { sum: 3 } },
    });
    const { result: discovered } = await request('/desk/mcp', 'server/discover');
    expect(discovered).toMatchObject({ instructions: 'Be brief.', capabilities: { tools: {} } });
    for (const name of ['add', 'jira__add', 'echo', 'github__echo', 'code__add', 'code__fail'])
      expect(await call('/desk/mcp', name)).toMatchObject({
        error: { code: -32_602, message: `Unknown tool: ${name}` },
      });
  });

  it('hide arguments and fix their values, whatever the caller sends', async () => {
    saveToolset(gateway, {
      slug: 'fixed',
      members: [
        member(github, {
          overrides: { add: { fixedArguments: { a: 40 } }, echo: { hiddenArguments: ['text'] } },
        }),
      ],
    });
    const { result } = await request('/fixed/mcp', 'tools/list');
    const schemaOf = (name: string): object | undefined =>
      result?.tools?.find((tool) => tool.name === `github__${name}`)?.inputSchema;
    expect(schemaOf('add')).toHaveProperty('properties.b');
    expect(schemaOf('add')).not.toHaveProperty('properties.a');
    expect(schemaOf('echo')).toMatchObject({ properties: {} });
    for (const args of [{ b: 2 }, { a: 1, b: 2 }])
      expect(await call('/fixed/mcp', 'github__add', args)).toMatchObject({
        result: { structuredContent: { sum: 42 } },
      });
    await call('/fixed/mcp', 'github__echo', { text: 'mine' });
    expect(sentArguments()).toMatchObject({ name: 'echo', arguments: {} });
    // Rules apply to the arguments that the server gets.
    const subject = { type: 'key', id: gateway.apiKey } as const;
    const when = [{ pointer: '/a', op: 'equals', value: 40 }];
    saveServer(gateway, { ...github, rules: [{ subject, tools: ['add'], effect: 'deny', when }] });
    expect(await call('/fixed/mcp', 'github__add', { a: 1, b: 2 })).toMatchObject({
      error: { data: { type: 'arguments_refused', pointer: '/a' } },
    });
  });

  it('reach no tool that its server hides from the caller, by any name', async () => {
    const subject = { type: 'key', id: OTHER_KEY } as const;
    const deny = { subject, tools: ['echo'], effect: 'deny', when: [] } as const;
    saveServer(gateway, { ...github, rules: [deny] });
    saveToolset(gateway, { slug: 'desk', members: [member(github, { aliases: { echo: 'repeat' } })] });
    saveToolset(gateway, {
      ...{ slug: 'found', mode: 'search' },
      members: [member(github, { prefix: '', aliases: { echo: 'repeat' } })],
    });
    expect(await toolsOf('/desk/mcp')).toContain('repeat');
    expect(await toolsOf('/desk/mcp', OTHER_KEY)).not.toContain('repeat');
    const before = fixture.calls.get('echo') ?? 0;
    const unknown = (name: string) => ({ error: { code: -32_602, message: `Unknown tool: ${name}` } });
    for (const path of ['/desk/mcp', '/mcp', '/main/-/mcp', '/found/mcp'])
      for (const name of ['repeat', 'echo', 'github__echo', 'github__repeat'])
        expect(await call(path, name, { text: 'x' }, OTHER_KEY)).toMatchObject(unknown(name));
    const inner = { name: 'repeat', arguments: { text: 'x' } };
    expect(await call('/found/mcp', 'call_tool', inner, OTHER_KEY)).toMatchObject(unknown('repeat'));
    const found = await call('/found/mcp', 'search_tools', { query: 'repeat returns the text' }, OTHER_KEY);
    expect(JSON.stringify(found)).not.toContain('repeat');
    expect(fixture.calls.get('echo') ?? 0).toBe(before);
    expect(await call('/found/mcp', 'call_tool', inner)).toHaveProperty('result.content');
  });

  it('keep the names of tools when another caller does not see an earlier one', async () => {
    const subject = { type: 'key', id: OTHER_KEY } as const;
    saveServer(gateway, { ...github, rules: [{ subject, tools: ['echo'], effect: 'deny', when: [] }] });
    const members = [
      member(github, { prefix: '', include: ['echo'] }),
      member(jira, { prefix: 'x', include: ['echo'], aliases: { echo: 'echo' } }),
    ];
    saveToolset(gateway, { slug: 'desk', members });
    const [first, second] = await toolsOf('/desk/mcp');
    expect([first, second]).toEqual(['echo', expect.stringMatching(/^echo_[0-9a-f]{6}$/)]);
    expect(await toolsOf('/desk/mcp', OTHER_KEY)).toEqual([second]);
  });

  it('page by sealed cursors that are valid for one list, toolset and caller', async () => {
    const saved = saveToolset(gateway, { slug: 'desk', members: [] });
    const many = (document: McpServerDocument): McpServerDocument => ({
      ...document,
      capabilities: Array.from({ length: 80 }, (_, at) => ({
        ...{ id: `${document.slug}-${String(at)}`, type: 'tool' as const, name: `t${String(at)}` },
        definition: { name: `t${String(at)}`, inputSchema: { type: 'object' } },
      })),
    });
    for (const document of [github, jira]) saveServer(gateway, many(document));
    saveToolset(gateway, { ...saved, members: [member(github), member(jira)] });
    saveToolset(gateway, { slug: 'twin', members: [member(github), member(jira)] });
    const page = (cursor?: unknown, path = '/desk/mcp', key = gateway.apiKey, method = 'tools/list') =>
      request(path, method, cursor === undefined ? {} : { cursor }, key);
    const first = await page();
    expect(first.result?.tools).toHaveLength(100);
    const cursor = first.result?.nextCursor ?? '';
    const second = await page(cursor);
    expect(second.result?.tools?.map(({ name }) => name)).toEqual(
      Array.from({ length: 60 }, (_, at) => `jira__t${String(at + 20)}`),
    );
    expect(second.result).not.toHaveProperty('nextCursor');
    const refused = { error: { code: -32_602, message: 'The cursor is not valid.' } };
    for (const wrong of [`${cursor}A`, cursor.slice(0, -1), `gwlc1.${cursor}`, 'x', 5, null, ''])
      expect(await page(wrong)).toMatchObject(refused);
    expect(await page(cursor, '/desk/mcp', OTHER_KEY)).toMatchObject(refused);
    for (const path of ['/twin/mcp', '/mcp', '/github/mcp'])
      expect(await page(cursor, path)).toMatchObject(refused);
    expect(await page(cursor, '/desk/mcp', gateway.apiKey, 'prompts/list')).toMatchObject(refused);
    expect((await page(cursor, '/main/desk/mcp')).result?.tools).toHaveLength(60);
    // The second member changed meanwhile, and no member follows it.
    saveServer(gateway, many(jira));
    expect((await page(cursor)).result).toMatchObject({ tools: [] });
  });

  it('name missing members, and fail if they are strict about them', async () => {
    const unread = { ...jira, server: null, capabilities: [] };
    saveServer(gateway, unread);
    const gone = { id: '0a000000-0000-4000-8000-0000000000aa', slug: 'gone' };
    const members = [member(github, { include: ['echo'] }), member(jira), member(gone)];
    saveToolset(gateway, { slug: 'desk', members });
    saveToolset(gateway, { slug: 'strict', members, failure: 'strict' });
    const { result } = await request('/desk/mcp', 'tools/list');
    expect(result).toMatchObject({
      tools: [{ name: 'github__echo' }],
      _meta: { 'gw/unavailable': ['jira', 'gone'] },
    });
    expect(await request('/strict/mcp', 'tools/list')).toMatchObject({
      error: { code: -32_603, data: { type: 'provider_unreachable', servers: ['jira', 'gone'] } },
    });
    expect(await call('/strict/mcp', 'github__echo', { text: 'x' })).toHaveProperty('result.content');
    const all = await request('/mcp', 'tools/list');
    expect(all.result?._meta).toMatchObject({ 'gw/unavailable': ['jira'] });
    const away = await startMcpFixture();
    await away.close();
    saveServer(gateway, { ...jira, url: away.url.href });
    expect(await toolsOf('/mcp')).toContain('jira__echo');
    for (const [path, name] of [
      ['/mcp', 'jira__echo'],
      ['/jira/mcp', 'echo'],
    ] as const)
      expect(await call(path, name)).toMatchObject({
        result: {
          isError: true,
          _meta: { 'gw/error': { type: 'provider_unreachable', retry_after_ms: 1_000 } },
        },
      });
    // A caller who may not use a server does not learn that it exists.
    saveServer(gateway, { ...unread, userAccess: { isAllowed: false, exceptions: {} } });
    expect((await request('/mcp', 'tools/list')).result?._meta).not.toHaveProperty('gw/unavailable');
    const { prompts } = (await request('/desk/mcp', 'prompts/list')).result as { prompts?: unknown[] };
    expect(prompts).toEqual([]);
  });

  it('serve readable members while others cannot be read, and report unknown tools as retryable', async () => {
    const key = `mcp_server:${github.workspaceId}:${jira.id}`;
    const { documents } = gateway;
    const [get, load] = [documents.get.bind(documents), documents.load.bind(documents)];
    const reads = [
      jest
        .spyOn(documents, 'get')
        .mockImplementation((wanted) => (wanted === key ? undefined : get(wanted)) as null),
      jest
        .spyOn(documents, 'load')
        .mockImplementation((wanted) => (wanted === key ? Promise.reject(new Error('away')) : load(wanted))),
    ];
    const { result } = await request('/mcp', 'tools/list');
    expect(result?.tools?.map(({ name }) => name)).toContain('github__echo');
    expect(result?._meta).toMatchObject({ 'gw/unavailable': ['jira'] });
    expect(await call('/mcp', 'jira__echo')).toMatchObject({
      result: {
        isError: true,
        _meta: { 'gw/error': { type: 'provider_unreachable', retry_after_ms: 1_000 } },
      },
    });
    for (const read of reads) read.mockRestore();
    expect(await call('/mcp', 'jira__echo', { text: 'x' })).toMatchObject({
      result: { content: [{ text: 'x' }] },
    });
  });

  it('can be searched by two tools, and a call by name follows the rules of a direct one', async () => {
    saveToolset(gateway, { slug: 'found', mode: 'search', members: [member(github), member(jira)] });
    expect(await toolsOf('/found/mcp')).toEqual(['search_tools', 'call_tool']);
    const found = await call('/found/mcp', 'search_tools', { query: 'adds two numbers', limit: 2 });
    const { tools } = found.result?.structuredContent ?? { tools: [] };
    expect(tools.map(({ name }) => name).sort()).toEqual(['github__add', 'jira__add']);
    expect(JSON.parse(found.result?.content?.[0]?.text ?? '')).toEqual({ tools });
    const inner = { name: 'jira__add', arguments: { a: 1, b: 2 } };
    expect(await call('/found/mcp', 'call_tool', inner)).toMatchObject({
      result: { structuredContent: { sum: 3 } },
    });
    expect(await call('/found/mcp', 'jira__add', { a: 1, b: 2 })).toHaveProperty('result');
    const refused = { error: { code: -32_602 } };
    for (const args of [{}, { query: '' }, { query: 1 }, { query: 'x', limit: 0 }, { query: 'x', limit: 51 }])
      expect(await call('/found/mcp', 'search_tools', args)).toMatchObject(refused);
    for (const args of [
      {},
      { name: 'call_tool' },
      { name: 'search_tools' },
      { name: 'jira__add', arguments: [] },
    ])
      expect(await call('/found/mcp', 'call_tool', args)).toMatchObject(refused);
    const records = (await gateway.records()).filter(({ route }) => route === 'mcp.tools.call').slice(-20);
    expect(records.map(({ decision }) => decision.mcp)).toContainEqual(
      expect.objectContaining({ server: 'jira', toolset: 'found', name: 'add', shownName: 'jira__add' }),
    );
  });

  it('are unknown outside of their workspace, like sessions of other callers', async () => {
    saveToolset(gateway, { slug: 'desk', members: [member(github)] });
    const status = async (path: string, key: string): Promise<number> => {
      const init = modernRequest(key, 'tools/list', {});
      return (await fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, init)).status;
    };
    for (const path of [
      '/main/desk/mcp',
      '/other/desk/mcp',
      '/desk/mcp',
      '/main/-/mcp',
      '/other/-/mcp',
      '/mcp',
    ])
      expect([path, await status(path, FOREIGN_KEY)]).toEqual([path, 404]);
    saveCatalogue(gateway, [github], OTHER_WORKSPACE_ID);
    expect(await toolsOf('/mcp', FOREIGN_KEY)).toEqual([]);
    saveToolset(gateway, { slug: 'theirs', members: [member(github)], workspaceId: OTHER_WORKSPACE_ID });
    expect(await request('/theirs/mcp', 'tools/list', {}, FOREIGN_KEY)).toMatchObject({
      result: { tools: [], _meta: { 'gw/unavailable': ['github'] } },
    });
  });
});
