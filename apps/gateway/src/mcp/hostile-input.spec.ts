import { GatewayHarness } from '../spec-support/harness';
import { saveServer, serverDocument } from './spec-support/mcp-server';
import { startScriptedServer, type ScriptedServer } from './spec-support/scripted-server';

const OWN_HOST = 'gateway.example';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'spec', version: '1' },
};
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

const form = (properties: object) => ({
  method: 'elicitation/create',
  params: { message: 'Hello', requestedSchema: { type: 'object', properties } },
});
const page = (url: string) => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Open', elicitationId: 'e', url },
});
const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 10 } };

const FORBIDDEN_PAGES = [
  `https://${OWN_HOST}/oauth/authorize?client_id=x`,
  `https://${OWN_HOST}./oauth/authorize?client_id=x`,
  'https://api.public.example/oauth/authorize',
  'https://name:secret@other.example/',
  'http://other.example/',
  'javascript:alert(1)',
];

describe('requests for input of a hostile server', () => {
  let gateway: GatewayHarness;
  const servers: Partial<Record<'legacy' | 'modern', ScriptedServer>> = {};
  beforeAll(async () => {
    gateway = await GatewayHarness.start({
      PUBLIC_HOSTS: `${OWN_HOST},127.0.0.1`,
      PUBLIC_GATEWAY_URL: 'https://api.public.example',
    });
    gateway.addKey(gateway.apiKey, { scopes: ['mcp.invoke'] });
    for (const era of ['legacy', 'modern'] as const) {
      const server = (servers[era] = await startScriptedServer(era));
      saveServer(gateway, await serverDocument(server.url, `${era}-server`));
    }
  });
  afterAll(async () => {
    for (const server of Object.values(servers)) await server.close();
    await gateway.stop();
  });

  const post = (era: string, body: object, headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${String(gateway.port)}/main/${era}-server/mcp`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...{ 'x-gw-api-key': gateway.apiKey, ...headers },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
  async function modernCall(era: 'legacy' | 'modern', capabilities: object): Promise<string> {
    const _meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': capabilities };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'work' };
    const params = { name: 'work', arguments: {}, _meta };
    return (await post(era, { method: 'tools/call', params }, headers)).text();
  }
  const answer = (era: 'legacy' | 'modern', script: ScriptedServer['script']): void => {
    const server = servers[era];
    if (server !== undefined) server.script = script;
  };
  const asks = (...requests: object[]): ScriptedServer['script'] => ({
    result: {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(requests.map((request, at) => [`r${String(at)}`, request])),
      requestState: 'state',
    },
  });

  it.each([
    ['sampling that the integration does not allow', ALL, [sampling]],
    ['a form for a secret', ALL, [form({ password: { type: 'string' } })]],
    [
      'a form that the client did not declare',
      { elicitation: { url: {} } },
      [form({ a: { type: 'string' } })],
    ],
    ['an unknown kind of request', ALL, [{ method: 'tools/call', params: { name: 'other' } }]],
    ['a request without a form', ALL, [{ method: 'elicitation/create' }, 'text']],
    ['six requests at once', ALL, Array.from({ length: 6 }, () => form({ a: { type: 'string' } }))],
    ...FORBIDDEN_PAGES.map((url) => [`the page ${url}`, ALL, [page(url)]] as const),
  ] as const)('never reach a modern client of a modern server: %s', async (_what, capabilities, requests) => {
    answer('modern', asks(...(requests as readonly object[])));
    const body = await modernCall('modern', capabilities);
    expect(body).not.toContain('inputRequests');
    expect(JSON.parse(body)).toMatchObject({ result: { isError: true } });
  });

  it('reach a modern client that may answer them', async () => {
    answer('modern', asks(form({ name: { type: 'string' } }), page('https://other.example/')));
    expect(JSON.parse(await modernCall('modern', ALL))).toMatchObject({
      result: { resultType: 'input_required', inputRequests: { r0: { method: 'elicitation/create' } } },
    });
  });

  const COMPLETION = { ref: { type: 'ref/prompt', name: 'work' }, argument: { name: 'a', value: 'b' } };
  async function modernRequestOf(era: 'legacy' | 'modern', method: string, params: object): Promise<unknown> {
    const _meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': ALL };
    const named = method === 'prompts/get' && { 'mcp-name': 'work' };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named };
    return (await post(era, { method, params: { ...params, _meta } }, headers)).json();
  }

  it('end requests that cannot wait for input, which are completions', async () => {
    answer('modern', asks(form({ name: { type: 'string' } })));
    answer('legacy', urlError('https://other.example/'));
    for (const era of ['modern', 'legacy'] as const)
      expect(await modernRequestOf(era, 'completion/complete', COMPLETION)).toMatchObject({
        error: { code: -32_603 },
      });
    expect(await modernRequestOf('modern', 'prompts/get', { name: 'work' })).toMatchObject({
      result: { resultType: 'input_required' },
    });
  });

  it('end a prompt of a client with a session with an error, and not with the result of a tool', async () => {
    answer('modern', asks(form({ name: { type: 'string' } })));
    const initialize = {
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    };
    const session = (await post('modern', initialize, {})).headers.get('mcp-session-id') ?? '';
    const get = { method: 'prompts/get', params: { name: 'work' } };
    const body: unknown = await (await post('modern', get, { 'mcp-session-id': session })).json();
    expect(body).toMatchObject({ error: { code: -32_603 } });
  });

  const urlError = (url: string) => ({
    error: { code: -32_042, message: 'Sign in', data: { elicitations: [page(url).params] } },
  });

  it.each(FORBIDDEN_PAGES)('lead no client of a legacy server to the page %s', async (url) => {
    answer('legacy', urlError(url));
    const initialize = {
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: ALL, clientInfo: { name: 'a', version: '1' } },
    };
    const session = (await post('legacy', initialize, {})).headers.get('mcp-session-id') ?? '';
    const call = { method: 'tools/call', params: { name: 'work', arguments: {} } };
    const legacy = await (await post('legacy', call, { 'mcp-session-id': session })).text();
    for (const body of [legacy, await modernCall('legacy', ALL)]) {
      expect(body).not.toContain(JSON.stringify(url).slice(1, -1));
      expect(body).not.toContain('elicitations');
    }
  });

  it('lead clients of a legacy server to other pages', async () => {
    answer('legacy', urlError('https://other.example/'));
    expect(await modernCall('legacy', ALL)).toContain('https://other.example/');
  });
});
