import { StubProvider } from '@gw/testing';
import { GatewayHarness, WORKSPACE_ID } from '../spec-support/harness';

const INLINE_HOST = { 'x-gw-custom-host': 'https://llm.example.org/v1' };

/** Error type, the header it names, and the request headers that cause it. */
const VIOLATIONS: readonly (readonly [type: string, param: string, headers: Record<string, string>])[] = [
  ['inline_config_blocked', 'x-gw-config', { 'x-gw-config': '{"provider":"@main"}' }],
  ['inline_config_blocked', 'x-gw-config', { 'x-gw-config': ' {"targets":[{"virtual_key":"main"}]}' }],
  ['inline_provider_blocked', 'x-gw-provider', { 'x-gw-provider': 'openai', authorization: 'Bearer sk-own' }],
  ['inline_custom_host_blocked', 'x-gw-custom-host', { 'x-gw-provider': '@main', ...INLINE_HOST }],
  ['inline_custom_host_blocked', 'x-gw-custom-host', { 'x-gw-config': 'pc-saved', ...INLINE_HOST }],
  ...[
    'x-gw-azure-resource-name',
    'x-gw-azure-foundry-url',
    'x-gw-huggingface-base-url',
    'x-gw-databricks-workspace',
    'x-gw-snowflake-account',
    'x-gw-vertex-region',
    'x-gw-azure-endpoint-host',
  ].map(
    (name) => ['inline_provider_url_blocked', name, { 'x-gw-provider': '@main', [name]: 'theirs' }] as const,
  ),
  [
    'inline_forward_headers_blocked',
    'x-gw-forward-headers',
    { 'x-gw-provider': '@main', 'x-gw-forward-headers': 'x-own' },
  ],
];

const LEVELS: readonly (readonly [
  level: string,
  environment: Record<string, string>,
  set: (gateway: GatewayHarness, blocked: boolean) => void,
])[] = [
  ['the environment', { BLOCK_INLINE_CONFIG: 'true' }, () => undefined],
  ['the organisation', {}, (gateway, blockInlineConfig) => gateway.setOrganisation({ blockInlineConfig })],
  [
    'the workspace',
    {},
    (gateway, blockInlineConfig) => gateway.addTenant(WORKSPACE_ID, 'main', { blockInlineConfig }),
  ],
];

describe.each(LEVELS)('saved-only mode set by %s', (level, environment, set) => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start(environment);
    stub = await StubProvider.start();
    stub.respondJson({ choices: [] });
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addConfig('pc-saved', { provider: '@main', forward_headers: ['x-own'] });
    set(gateway, true);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const send = (path: string, headers: Record<string, string>, model = 'gpt-4o'): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages: [] }),
    });

  it.each(VIOLATIONS)(
    '[ERR-08] refuses with %s: %s on every route, before a provider is called',
    async (type, param, headers) => {
      for (const path of ['/chat/completions', '/proxy/chat/completions', '/own/endpoint']) {
        const response = await send(path, headers);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: { type, param, code: 'AB01' } });
      }
      expect(stub.connections).toBe(0);
      expect((await gateway.records()).at(-1)).toMatchObject({ outcome: 'denied', errorType: type });
    },
  );

  it('[ERR-08] names the first of several violations', async () => {
    const response = await send('/chat/completions', {
      'x-gw-config': '{}',
      'x-gw-provider': 'openai',
      ...INLINE_HOST,
    });
    expect(await response.json()).toMatchObject({ error: { type: 'inline_config_blocked' } });
  });

  it('[ERR-08] accepts saved resources: a config, a provider, a virtual key, and a model with its provider', async () => {
    const saved: readonly Record<string, string>[] = [
      { 'x-gw-config': 'pc-saved', 'x-own': '1' },
      { 'x-gw-provider': '@main' },
      { 'x-gw-virtual-key': 'main' },
      { 'x-gw-provider': '@main', authorization: 'Bearer sk-own', 'x-gw-openai-organization': 'org-1' },
    ];
    for (const headers of saved) expect((await send('/chat/completions', headers)).status).toBe(200);
    expect(stub.requests[0]?.headers['x-own']).toBe('1');
    expect((await send('/chat/completions', {}, '@main/gpt-4o')).status).toBe(200);
  });

  if (level !== 'the environment') {
    it('[ERR-08] applies to the first request after a change in either direction', async () => {
      const inline = { 'x-gw-config': '{"provider":"@main"}' };
      set(gateway, false);
      expect((await send('/chat/completions', inline)).status).toBe(200);
      set(gateway, true);
      expect((await send('/chat/completions', inline)).status).toBe(400);
    });
  }
});

describe('restrictions of an organisation', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ choices: [] });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  it.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [false, false, false],
  ])(
    'logs bodies only if organisation and workspace allow it: %s and %s gives %s',
    async (there, here, logged) => {
      gateway.addTenant(WORKSPACE_ID, 'main', { logBodies: here });
      gateway.setOrganisation({ logBodies: there });
      await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': '@main',
          'content-type': 'application/json',
        },
        body: '{"model":"m","messages":[]}',
      });
      const record = (await gateway.records()).at(-1);
      expect(record?.requestBody !== null).toBe(logged);
      expect(record?.responseBody !== null).toBe(logged);
    },
  );
});

describe('provider fields in headers', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ choices: [] });
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const send = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        authorization: 'Bearer sk-own',
        'x-gw-custom-host': `${stub.origin}/v1`,
        'content-type': 'application/json',
        ...headers,
      },
      body: '{"model":"m","messages":[]}',
    });

  it('[AUT-04] applies the fields to the provider that the request names, and does not forward the headers', async () => {
    const response = await send({
      'x-gw-provider': 'openai',
      'x-gw-openai-organization': 'org-1',
      'x-gw-openai-project': 'proj-1',
    });
    expect(response.status).toBe(200);
    expect(stub.lastRequest.headers).toMatchObject({
      'openai-organization': 'org-1',
      'openai-project': 'proj-1',
      authorization: 'Bearer sk-own',
    });
    expect(stub.lastRequest.rawHeaders.join().toLowerCase()).not.toContain('x-gw-');
  });

  it('validates the fields like those of a config', async () => {
    for (const [name, value] of [
      ['x-gw-azure-resource-name', 'evil.example.org/x?'],
      ['x-gw-huggingface-base-url', 'http://169.254.169.254/'],
    ] as const) {
      const response = await send({ 'x-gw-provider': 'azure-openai', [name]: value });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'AB01' } });
    }
    expect(stub.connections).toBe(0);
  });

  it('ignores the fields for a saved provider', async () => {
    gateway.addProvider('main', 'openai', stub.origin);
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        'x-gw-openai-organization': 'org-1',
      },
      body: '{"model":"m"}',
    });
    expect(response.status).toBe(200);
    expect(stub.lastRequest.headers['openai-organization']).toBeUndefined();
  });
});

describe('forwarded headers', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({});
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  it.each([
    'x-gw-api-key',
    'Host',
    'content-length',
    'Connection',
    'X-Gw-Forward-Headers',
    'metadata-flavor',
  ])('[AUT-08] refuses to forward %s by request header, as in a config', async (name) => {
    const response = await fetch(`${gateway.baseUrl}/own`, {
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        'x-gw-forward-headers': `a, ${name}`,
      },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { type: 'header_invalid', param: 'x-gw-forward-headers', header: name.toLowerCase() },
    });
    expect(stub.connections).toBe(0);
  });

  it('[AUT-08] never forwards the gateway key, whichever header it is sent in', async () => {
    for (const headers of [{ authorization: `Bearer ${gateway.apiKey}` }, { 'x-api-key': gateway.apiKey }]) {
      const response = await fetch(`${gateway.baseUrl}/own`, {
        headers: {
          'x-gw-provider': '@main',
          'x-gw-forward-headers': 'authorization, x-api-key',
          ...headers,
        },
      });
      expect(response.status).toBe(200);
      expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-main');
      expect(stub.lastRequest.rawHeaders.join()).not.toContain(gateway.apiKey);
    }
  });
});
