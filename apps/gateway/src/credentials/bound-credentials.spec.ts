import fc from 'fast-check';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const OWN_KEY = 'sk-callers-own';
const SAVED_KEY = 'sk-main';

/** Credentials of this gateway; no provider may receive them. */
const SECOND = 'secondKey00000000000000000000000';
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const SESSION = `${part({ alg: 'HS256' })}.${part({ iss: 'tollgate', aud: 'control-plane' })}.c2ln`;

/** Headers that carry a caller's credentials. */
const CARRYING = ['authorization', 'cookie', 'x-api-key', 'api-key', 'x-goog-api-key', 'x-vault-token'];

/**
 * Ways to name the saved provider, as members of a target; with the last two the request names it.
 */
const NAMES = [
  { provider: '@main' },
  { virtual_key: 'main' },
  { provider: 'openai' },
  { provider: 'anthropic' },
  {},
] as const;

describe('binding of credentials to addresses', () => {
  let gateway: GatewayHarness;
  let rightful: StubProvider;
  let other: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    rightful = await StubProvider.start();
    other = await StubProvider.start();
    gateway.addProvider('main', 'openai', rightful.origin);
    const model = {
      slug: 'own-host',
      customHost: `${rightful.origin}/own`,
      customHeaders: {},
      enabled: true,
    };
    const more = { isFinetune: false, baseModelSlug: null, pricing: null };
    gateway.addKey(SECOND);
    gateway.addProvider('models', 'openai', null, { models: [{ ...model, ...more }] as never });
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), rightful.stop(), other.stop()]);
  });
  beforeEach(() => {
    for (const stub of [rightful, other]) {
      stub.requests.length = 0;
      stub.respondJson({ choices: [], data: [{ embedding: [1, 0] }] });
    }
  });

  const send = (headers: Record<string, string>, path = '/chat/completions', body = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], ...body }),
    });
  const errorOf = async (response: Response): Promise<Record<string, unknown>> =>
    ((await response.json()) as { error: Record<string, unknown> }).error;
  const seen = (stub: StubProvider): string =>
    JSON.stringify(stub.requests.map(({ rawHeaders }) => rawHeaders));
  const own = { authorization: `Bearer ${OWN_KEY}` };

  it('refuses a saved config that sends a saved provider’s credential to another host', async () => {
    gateway.addConfig('pc-steal', { provider: '@main', custom_host: `${other.origin}/steal` });
    const response = await send({ 'x-gw-config': 'pc-steal' });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      type: 'custom_host_refused',
      param: 'config.custom_host',
    });
    expect(other.connections).toBe(0);
  });

  it('accepts the saved provider’s own host, wherever it is named', async () => {
    const custom_host = `${rightful.origin}/v1/`;
    gateway.addConfig('pc-same', { provider: '@main', custom_host });
    expect((await send({ 'x-gw-config': 'pc-same' })).status).toBe(200);
    expect((await send({ 'x-gw-provider': '@main', 'x-gw-custom-host': custom_host })).status).toBe(200);
    const model = { model: '@models/own-host' };
    expect((await send({ 'x-gw-custom-host': custom_host }, undefined, model)).status).toBe(400);
    const ownHost = { 'x-gw-custom-host': `${rightful.origin}/own` };
    expect((await send(ownHost, undefined, model)).status).toBe(200);
    expect(rightful.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer sk-main',
      'Bearer sk-main',
      'Bearer sk-models',
    ]);
  });

  it('sends the caller’s key to the first target and not to targets of another provider', async () => {
    const at = (provider: string, path: string): object => ({
      provider,
      custom_host: `${(path === 'a' ? rightful : other).origin}/${path}`,
    });
    rightful.respond({ status: 503, body: {} });
    const config = { strategy: { mode: 'fallback' }, targets: [at('openai', 'a'), at('anthropic', 'b')] };
    await send({ ...own, 'x-gw-config': JSON.stringify(config) });
    expect(seen(rightful)).toContain(OWN_KEY);
    expect(other.requests).toHaveLength(1);
    expect(seen(other)).not.toContain(OWN_KEY);
  });

  it('sends the caller’s key to the provider that x-gw-provider names, not to the first target', async () => {
    const targets = [
      { provider: 'anthropic', custom_host: `${other.origin}/b` },
      { provider: 'openai', custom_host: `${rightful.origin}/a` },
    ];
    other.respond({ status: 503, body: {} });
    const config = JSON.stringify({ strategy: { mode: 'fallback' }, targets });
    await send({ ...own, 'x-gw-provider': 'openai', 'x-gw-config': config });
    expect(seen(other)).not.toContain(OWN_KEY);
    expect(seen(rightful)).toContain(OWN_KEY);
  });

  it('never sends the caller’s key to an address of a saved config', async () => {
    gateway.addConfig('pc-collect', { provider: 'openai', custom_host: `${other.origin}/collect` });
    for (const headers of [{}, { 'x-gw-provider': 'openai' }]) {
      expect((await send({ ...own, ...headers, 'x-gw-config': 'pc-collect' })).status).toBe(200);
    }
    expect(other.requests).toHaveLength(2);
    expect(seen(other)).not.toContain(OWN_KEY);
  });

  it('reports what is missing when a provider needs a key and the request has none', async () => {
    const response = await send({ 'x-gw-provider': 'openai' });
    expect(response.status).toBe(400);
    const error = await errorOf(response);
    expect(error).toMatchObject({ type: 'provider_key_missing', param: 'authorization', provider: 'openai' });
    expect(error['message']).toContain('x-gw-api-key');
  });

  it('calls a self-hosted server without a key', async () => {
    const response = await send({ 'x-gw-provider': 'openai', 'x-gw-custom-host': `${rightful.origin}/v1` });
    expect(response.status).toBe(200);
    expect(rightful.lastRequest.headers['authorization']).toBeUndefined();
  });

  it('refuses a second gateway key or a session token as provider key', async () => {
    const host = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${other.origin}/v1` };
    for (const credential of [SECOND, SESSION]) {
      const response = await send({ ...host, authorization: `Bearer ${credential}` });
      expect([response.status, (await errorOf(response))['type']]).toEqual([400, 'header_invalid']);
    }
    expect(other.requests).toHaveLength(0);
    // A key of the same form that is unknown here belongs to a provider.
    expect((await send({ ...host, authorization: 'Bearer mistralKey0000000000000000000000' })).status).toBe(
      200,
    );
  });

  it('removes a saved key that a provider repeats in an error or in a response header', async () => {
    gateway.addProvider('echoing-key', 'openai', rightful.origin);
    const message = `Incorrect API key provided: Bearer sk-echoing-key`;
    for (const status of [200, 401]) {
      rightful.respond({
        status,
        headers: { 'x-echo': 'Bearer sk-echoing-key' },
        body: { error: { message } },
      });
      const response = await send({ 'x-gw-provider': '@echoing-key' });
      expect([response.status, response.headers.get('x-echo')]).toEqual([status, 'Bearer [credential]']);
      if (status === 200) continue;
      const text = await response.text();
      expect(text).toContain('Incorrect API key provided: Bearer [credential]');
      expect(text).not.toContain('sk-echoing-key');
    }
  });

  it('removes a saved key that a provider repeats in a passthrough error, and changes nothing else', async () => {
    gateway.addProvider('echoing-raw', 'openai', rightful.origin);
    const ask = async (body: object, status: number): Promise<[number, string]> => {
      rightful.respond({ status, body });
      const response = await fetch(`${gateway.baseUrl}/proxy/v1/some/route`, {
        method: 'POST',
        headers: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@echoing-raw' },
        body: '{}',
      });
      return [response.status, await response.text()];
    };
    const error = { error: { message: 'wrong: sk-echoing-raw', at: [1, 'é'] } };
    const text = JSON.stringify(error);
    expect(await ask(error, 401)).toEqual([401, text.replace('sk-echoing-raw', '[credential]')]);
    const plain = { error: { message: 'é'.repeat(50_000) } };
    expect(await ask(plain, 500)).toEqual([500, JSON.stringify(plain)]);
  });

  describe('forwarded headers', () => {
    const brought = Object.fromEntries(CARRYING.map((name) => [name, `Bearer ${OWN_KEY}`]));
    const forward_headers = [...CARRYING, 'x-own'];

    it('forwards no credential of the caller to an address of a saved config, named or the key’s default', async () => {
      const config = { custom_host: `${other.origin}/collect`, forward_headers };
      gateway.addConfig('pc-forwards', config);
      gateway.addConfig('pc-forwards-named', { ...config, provider: 'openai' });
      const headers = { ...brought, 'x-own': 'plain', 'x-gw-provider': 'openai' };
      const keyed = 'keyedKey000000000000000000000000';
      gateway.addKey(keyed, { defaults: { config: 'pc-forwards', metadata: {}, allowConfigOverride: true } });
      for (const more of [
        { 'x-gw-config': 'pc-forwards' },
        { 'x-gw-config': 'pc-forwards-named' },
        { 'x-gw-config': 'pc-forwards', 'x-gw-forward-headers': CARRYING.join() },
        { 'x-gw-api-key': keyed },
      ]) {
        expect((await send({ ...headers, ...more })).status).toBe(200);
      }
      expect(other.requests).toHaveLength(4);
      expect(other.requests[0]?.headers['x-own']).toBe('plain');
      expect(seen(other)).not.toContain(OWN_KEY);
    });

    it('forwards the caller’s credentials to the provider that the caller names, at its own address or at one of the request', async () => {
      gateway.addConfig('pc-cookie', { forward_headers: ['cookie'] });
      const host = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${rightful.origin}/v1` };
      const cookie = `session=${OWN_KEY}`;
      expect((await send({ ...host, cookie, 'x-gw-config': 'pc-cookie' })).status).toBe(200);
      expect(rightful.lastRequest.headers['cookie']).toBe(cookie);
      expect((await send({ ...host, cookie, 'x-gw-forward-headers': 'cookie' })).status).toBe(200);
      expect(rightful.lastRequest.headers['cookie']).toBe(cookie);
    });

    it('forwards the caller’s credentials to a saved provider only when the request names header and provider', async () => {
      gateway.addConfig('pc-saved', { provider: '@main', forward_headers: ['cookie'] });
      gateway.addConfig('pc-list', { forward_headers: ['cookie'] });
      const cookie = `session=${OWN_KEY}`;
      for (const headers of [
        { 'x-gw-config': 'pc-saved' },
        { 'x-gw-config': 'pc-saved', 'x-gw-forward-headers': 'cookie' },
        { 'x-gw-config': 'pc-list', 'x-gw-provider': '@main' },
      ]) {
        expect((await send({ ...headers, cookie })).status).toBe(200);
        expect(rightful.lastRequest.headers['cookie']).toBeUndefined();
      }
      const named = { 'x-gw-provider': '@main', 'x-gw-forward-headers': 'cookie' };
      expect((await send({ ...named, cookie })).status).toBe(200);
      expect(rightful.lastRequest.headers['cookie']).toBe(cookie);
    });

    it('refuses forwarded headers that hold a credential of this gateway, in any header and form', async () => {
      const basic = `Basic ${Buffer.from(`user:${SECOND}`).toString('base64')}`;
      const host = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${other.origin}/v1` };
      const headers = { ...host, 'x-gw-forward-headers': forward_headers.join() };
      for (const [name, value] of [
        ['x-own', SECOND],
        ['x-own', `a, ${SESSION}`],
        ['cookie', `theme=dark; session=${SESSION}`],
        ['cookie', `key=${SECOND}`],
        ['authorization', basic],
        ['x-vault-token', SECOND],
      ] as const) {
        const response = await send({ ...headers, [name]: value });
        expect([name, response.status, await errorOf(response)]).toMatchObject([
          name,
          400,
          { type: 'header_invalid', param: name },
        ]);
      }
      const many = Array.from({ length: 65 }, (_, i) => `k=${String(i).padStart(40, 'a')}`).join('; ');
      expect((await send({ ...headers, cookie: many })).status).toBe(400);
      expect(other.requests).toHaveLength(0);
    });

    it('does not forward credential and method-override headers that the request does not name', async () => {
      const response = await send({
        ...{ 'x-gw-provider': '@main', 'x-own': 'plain', 'x-vault-token': OWN_KEY },
        ...{ 'x-auth-token': OWN_KEY, 'x-user-jwt': OWN_KEY, 'ocp-apim-subscription-key': OWN_KEY },
        ...{ 'x-method-override': 'TRACE', 'x-http-method': 'TRACE', 'x-http-method-override': 'TRACE' },
      });
      expect(response.status).toBe(200);
      expect(rightful.lastRequest.headers['x-own']).toBe('plain');
      expect(seen(rightful)).not.toMatch(new RegExp(`${OWN_KEY}|TRACE`));
    });
  });

  const URLS = { rightful: () => `${rightful.origin}/v1`, other: () => `${other.origin}/v1` };
  const at = (which: Host, field = 'custom_host'): Record<string, string> =>
    which === null ? {} : { [field]: URLS[which]() };
  const targetOf = ({ name, host }: DrawnTarget): object => ({ ...name, ...at(host) });

  function configOf({ targets, mode, root, embeddings, forwards }: Drawn): object {
    const two = targets.length < 2 ? [...targets, ...targets] : targets;
    const strategy = { strategy: { mode }, targets: two.map(targetOf) };
    const cache = embeddings && { mode: 'semantic', embeddings: { ...targetOf(embeddings), model: 'e' } };
    const node = mode === 'single' ? targetOf(targets[0] as DrawnTarget) : strategy;
    const list = forwards?.by === 'config' ? { forward_headers: forwards.names } : {};
    return { ...node, ...at(root), ...list, ...(cache ? { cache } : {}) };
  }

  const headersOf = (drawn: Drawn): Record<string, string> => ({
    ...(drawn.header === null ? {} : { 'x-gw-provider': drawn.header }),
    ...(drawn.virtualKey ? { 'x-gw-virtual-key': 'main' } : {}),
    ...at(drawn.headerHost, 'x-gw-custom-host'),
    ...forwardedOf(drawn),
    ...(drawn.brings ? own : {}),
  });

  function forwardedOf({ forwards }: Drawn): Record<string, string> {
    if (forwards === null) return {};
    const { names, by, holds } = forwards;
    const sent = Object.fromEntries(names.map((name) => [name, `Bearer ${holds}`]));
    return by === 'request' ? { ...sent, 'x-gw-forward-headers': names.join() } : sent;
  }

  /** The provider that the caller's key is meant for. */
  function intendedBy({ header, virtualKey, targets }: Drawn): string | null {
    if (header !== null || virtualKey) return header;
    return (targets[0]?.name as { provider?: string }).provider ?? null;
  }

  function expectNoLeak(drawn: Drawn): void {
    expect(seen(other)).not.toContain(SAVED_KEY);
    for (const stub of [rightful, other]) {
      expect(seen(stub)).not.toContain(SECOND);
      expect(seen(stub)).not.toContain(SESSION);
    }
    // A host that the caller named may receive the caller's key when its provider is the one that
    // the key is meant for.
    const isHis = drawn.headerHost === 'other' || !drawn.saved;
    for (const { headers } of other.requests) {
      const spoken = headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
      if (!isHis || intendedBy(drawn) !== spoken) expect(JSON.stringify(headers)).not.toContain(OWN_KEY);
    }
  }

  it('never sends a saved, caller’s or forwarded key to any host but its own, whatever the request and the config name', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(DRAWN, async (drawn) => {
        other.requests.length = 0;
        rightful.requests.length = 0;
        other.respond({ status: drawn.mode === 'fallback' ? 503 : 200, body: {} });
        const slug = `pc-${String((number += 1))}`;
        if (drawn.saved) gateway.addConfig(slug, configOf(drawn));
        const config = drawn.saved ? slug : JSON.stringify(configOf(drawn));
        const body = { model: drawn.model, input: 'Hi' };
        const response = await send({ ...headersOf(drawn), 'x-gw-config': config }, drawn.path, body);
        await response.arrayBuffer();
        expectNoLeak(drawn);
      }),
      { numRuns: 250 },
    );
  });
});

type Host = 'rightful' | 'other' | null;
type Drawn = typeof DRAWN extends fc.Arbitrary<infer Value> ? Value : never;
type DrawnTarget = Drawn['targets'][number];

const HOST = fc.constantFrom<Host[]>(null, 'rightful', 'other');
const TARGET = fc.record({ name: fc.constantFrom(...NAMES), host: HOST });
const FORWARDS = fc.record({
  names: fc.subarray([...CARRYING, 'x-auth-token'], { minLength: 1 }),
  by: fc.constantFrom('config', 'request'),
  holds: fc.constantFrom(OWN_KEY, OWN_KEY, OWN_KEY, SECOND, SESSION),
});
const DRAWN = fc.record({
  forwards: fc.option(FORWARDS),
  root: HOST,
  targets: fc.array(TARGET, { minLength: 1, maxLength: 3 }),
  mode: fc.constantFrom('single', 'fallback', 'loadbalance', 'hedge'),
  embeddings: fc.option(TARGET),
  saved: fc.boolean(),
  header: fc.constantFrom(null, '@main', 'openai', 'anthropic'),
  virtualKey: fc.boolean(),
  headerHost: HOST,
  model: fc.constantFrom('gpt-4o', '@main/gpt-4o'),
  brings: fc.boolean(),
  path: fc.constantFrom('/chat/completions', '/proxy/chat/completions', '/embeddings'),
});
