import { ROUTE_KINDS } from '@gw/contracts';
import { PROVIDERS } from '@gw/providers';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { ROUTE_ROWS } from './families';
import { routeOf } from './route-table';

/** Returns the path with a distinct id at every place for one. */
const filled = (path: string): string => path.replaceAll(/\{(\w+)\}/g, 'id-of-$1');

describe('route table', () => {
  it.each(ROUTE_ROWS.map((row) => [`${row.method} ${row.path}`, row] as const))(
    '[VER-01] finds %s by its path, and forwards it to the same path',
    (_, { method, path, base, document: _document, ...row }) => {
      // A route of two calls first requests the object above its path.
      const requested = row.followUp ? filled(path).replace(/\/output$/, '') : filled(path);
      const found = routeOf(method, filled(path), base);
      expect(found).toEqual({
        ...row,
        upstreamPath: requested,
        call: row.dialect === 'gemini' ? found.call : null,
        address: row.dialect === 'gemini' ? found.address : null,
        handsOutAccess: false,
      });
      expect(found.address === null).toBe(row.dialect !== 'gemini');
    },
  );

  it('gives every route a unique name', () => {
    const names = ROUTE_ROWS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has a route for every family that a provider serves, and a provider for every family', () => {
    const routed = new Set<string>([...ROUTE_ROWS.map(({ kind }) => kind), 'passthrough']);
    expect([...ROUTE_KINDS].filter((kind) => !routed.has(kind))).toEqual([]);
    const served = new Set([...PROVIDERS.values()].flatMap(({ routes }) => Object.keys(routes)));
    expect([...routed].filter((kind) => !served.has(kind))).toEqual([]);
  });

  it.each([
    ['GET', '/chat/completions'],
    ['PATCH', '/files/f1'],
    ['POST', '/files/f1'],
    ['GET', '/files/'],
    ['GET', '/files/f1/'],
    ['GET', '/files/f1/content/more'],
    ['GET', '/threads//runs'],
    ['POST', '/Threads/t/runs'],
    ['GET', '/threads/t/nothing'],
    ['GET', '/'],
    ['GET', '/constructor/x'],
    ['constructor', '/files/f1'],
  ])('treats %s %s as passthrough', (method, path) => {
    expect(routeOf(method, path)).toMatchObject({ kind: 'passthrough', upstreamPath: path });
  });

  it('[PAS-05] does not apply below /proxy/', () => {
    for (const { method, path } of ROUTE_ROWS) {
      const route = routeOf(method, `/proxy${filled(path)}`);
      expect(route).toMatchObject({ kind: 'passthrough', checkBody: null, upstreamPath: filled(path) });
    }
  });

  it.each([
    ['/v1beta', '/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro', false],
    ['/v1beta', '/models/@groq/llama:streamGenerateContent', '@groq/llama', true],
    ['/v1beta', '/models/@groq%2Fa%3Ab:generateContent', '@groq/a:b', false],
    ['/v1', '/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro', false],
    ['/v1beta1', '/projects/p/locations/us/publishers/google/models/m:generateContent', 'm', false],
    ['/v1', '/projects/p/locations/us/publishers/anthropic/models/c:generateContent', 'anthropic/c', false],
  ] as const)('reads model and stream of a Gemini client from %s%s', (base, path, model, stream) => {
    expect(routeOf('POST', path, base)).toMatchObject({
      kind: 'gemini.generate',
      address: { model, stream },
      call: { model, kind: 'answer' },
    });
  });

  it.each([
    ['POST', '/models/m:predict'],
    ['POST', '/models/:generateContent'],
    ['GET', '/models/m:generateContent'],
    ['POST', '/cachedContents'],
  ])('passes %s %s of a Gemini client on', (method, path) => {
    expect(routeOf(method, path, '/v1beta')).toMatchObject({ kind: 'passthrough', upstreamPath: path });
  });

  it('prefers a named segment to an id, and keeps an id unchanged', () => {
    expect(routeOf('POST', '/threads/runs').name).toBe('threads.runs.create_with_thread');
    expect(routeOf('POST', '/threads/run').name).toBe('threads.modify');
    expect(routeOf('GET', '/files/a%2fb').upstreamPath).toBe('/files/a%2fb');
  });
});

describe('route families', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson({ object: 'any' });
    for (const id of PROVIDERS.keys()) gateway.addProvider(id, id, stub.origin);
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const BODIES: Readonly<Record<string, object>> = { moderations: { input: 'x' } };
  const call = (
    provider: string,
    method: string,
    path: string,
    name: string,
    base = '/v1',
  ): Promise<Response> =>
    fetch(`${gateway.baseUrl.replace(/\/v1$/, base)}${filled(path)}`, {
      method,
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': `@${provider}`,
        'content-type': 'application/json',
      },
      ...(method === 'POST'
        ? { body: JSON.stringify(BODIES[name] ?? (base === '/v1' ? { model: 'm' } : {})) }
        : {}),
    });

  // A WebSocket, a route of two calls and a saved prompt are not simply forwarded; they have specs
  // of their own.
  const forwarded = ROUTE_ROWS.filter(
    ({ kind, followUp, prompt }) => kind !== 'realtime' && !followUp && !prompt,
  );
  it.each(forwarded.map((row) => [row.name, row] as const))(
    '[SVC-03] %s reaches a provider that serves it, and is logged under its name',
    async (name, { method, path, kind, base, dialect }) => {
      const serving = [...PROVIDERS.values()].find(
        ({ routes, local }) => routes[kind]?.via === 'native' && !local,
      );
      const prefix = serving?.routes[kind]?.via === 'native' ? serving.routes[kind].prefix : '';
      const response = await call(serving?.id ?? '', method, path, name, base);
      expect(response.status).toBe(200);
      const query = dialect === 'gemini' && path.includes(':stream') ? '?alt=sse' : '';
      expect(stub.lastRequest).toMatchObject({ method, url: `/v1${prefix}${filled(path)}${query}` });
      expect((await gateway.records()).at(-1)).toMatchObject({ route: name, status: 200, outcome: 'ok' });
    },
  );

  it.each([
    ['groq', 'POST', '/threads', 'threads'],
    ['anthropic', 'POST', '/embeddings', 'embeddings'],
    ['openai', 'POST', '/rerank', 'rerank'],
    ['openai', 'POST', '/messages/count_tokens', 'messages.count_tokens'],
    ['ollama', 'GET', '/files', 'files'],
  ])('%s refuses %s %s, which it does not serve, before anything is sent', async (provider, method, path) => {
    const response = await call(provider, method, path, '');
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as {
      error: { type: string; gateway_type?: string; message: string };
    };
    expect(error.gateway_type ?? error.type).toBe('route_unsupported');
    expect(error.message).toContain(`The provider ${provider} does not serve`);
    expect(stub.requests).toHaveLength(0);
  });

  describe('with an allow-list of models', () => {
    const call = (path: string, body?: object): Promise<Response> =>
      fetch(`${gateway.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': '@listed',
          'content-type': 'application/json',
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    beforeAll(() => {
      gateway.addProvider('listed', 'openai', stub.origin, { allowAllModels: false, models: [] });
    });

    it.each([
      '/threads',
      '/threads/t/messages',
      '/vector_stores',
      '/files',
      '/threads/t/runs/r/submit_tool_outputs',
    ])('%s, which calls no model, is served', async (path) => {
      expect((await call(path, {})).status).toBe(200);
    });

    it.each([
      '/responses',
      '/images/generations',
      '/threads/t/runs',
      '/assistants',
      '/audio/speech',
      '/images/edits',
    ])('%s must name an enabled model', async (path) => {
      for (const body of [{}, { model: 'other' }]) expect((await call(path, body)).status).toBe(412);
      expect(stub.requests).toHaveLength(0);
    });
  });
});
