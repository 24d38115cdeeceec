import fc from 'fast-check';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const OWN_KEY = 'sk-callers-own';
const SAVED_KEY = 'sk-main';

/** Ways to name the saved provider, as members of a target; the last two leave it to the request. */
const NAMES = [
  { provider: '@main' },
  { virtual_key: 'main' },
  { provider: 'openai' },
  { provider: 'anthropic' },
  {},
] as const;

describe('a credential and the address that it is sent to', () => {
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
    gateway.addProvider('models', 'openai', null, { models: [{ ...model, ...more }] as never });
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), rightful.stop(), other.stop()]);
  });
  beforeEach(() => {
    for (const stub of [rightful, other]) {
      stub.requests.length = 0;
      stub.answerJson({ choices: [], data: [{ embedding: [1, 0] }] });
    }
  });

  const send = (headers: Record<string, string>, path = '/chat/completions', body = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'x-gw-api-key': gateway.apiKey, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], ...body }),
    });
  const errorOf = async (answer: Response): Promise<Record<string, unknown>> =>
    ((await answer.json()) as { error: Record<string, unknown> }).error;
  const seen = (stub: StubProvider): string =>
    JSON.stringify(stub.requests.map(({ rawHeaders }) => rawHeaders));
  const own = { authorization: `Bearer ${OWN_KEY}` };

  it('refuses a saved config that sends a saved provider’s credential to another host', async () => {
    gateway.addConfig('pc-steal', { provider: '@main', custom_host: `${other.origin}/steal` });
    const answer = await send({ 'x-gw-config': 'pc-steal' });
    expect(answer.status).toBe(400);
    expect(await errorOf(answer)).toMatchObject({ type: 'custom_host_refused', param: 'config.custom_host' });
    expect(other.connections).toBe(0);
  });

  it('takes the host of the saved provider itself, wherever it is written', async () => {
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

  it('sends the caller’s key to the first target and to none of another provider', async () => {
    const at = (provider: string, path: string): object => ({
      provider,
      custom_host: `${(path === 'a' ? rightful : other).origin}/${path}`,
    });
    rightful.answer({ status: 503, body: {} });
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
    other.answer({ status: 503, body: {} });
    const config = JSON.stringify({ strategy: { mode: 'fallback' }, targets });
    await send({ ...own, 'x-gw-provider': 'openai', 'x-gw-config': config });
    expect(seen(other)).not.toContain(OWN_KEY);
    expect(seen(rightful)).toContain(OWN_KEY);
  });

  it('never sends the caller’s key to an address that stands in a saved config', async () => {
    gateway.addConfig('pc-collect', { provider: 'openai', custom_host: `${other.origin}/collect` });
    for (const headers of [{}, { 'x-gw-provider': 'openai' }]) {
      expect((await send({ ...own, ...headers, 'x-gw-config': 'pc-collect' })).status).toBe(200);
    }
    expect(other.requests).toHaveLength(2);
    expect(seen(other)).not.toContain(OWN_KEY);
  });

  it('says what is missing where a provider needs a key and the request brings none', async () => {
    const answer = await send({ 'x-gw-provider': 'openai' });
    expect(answer.status).toBe(400);
    const error = await errorOf(answer);
    expect(error).toMatchObject({ type: 'provider_key_missing', param: 'authorization', provider: 'openai' });
    expect(error['message']).toContain('x-gw-api-key');
  });

  it('calls a host of one’s own without a key', async () => {
    const answer = await send({ 'x-gw-provider': 'openai', 'x-gw-custom-host': `${rightful.origin}/v1` });
    expect(answer.status).toBe(200);
    expect(rightful.lastRequest.headers['authorization']).toBeUndefined();
  });

  it('refuses a second gateway key and the token of a session in the place of a provider’s key', async () => {
    const second = 'secondKey00000000000000000000000';
    gateway.addKey(second);
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const session = `${part({ alg: 'HS256' })}.${part({ iss: 'tollgate', aud: 'control-plane' })}.c2ln`;
    const host = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${other.origin}/v1` };
    for (const credential of [second, session]) {
      const answer = await send({ ...host, authorization: `Bearer ${credential}` });
      expect([answer.status, (await errorOf(answer))['type']]).toEqual([400, 'header_invalid']);
    }
    expect(other.requests).toHaveLength(0);
    // A key of the same shape that is none of ours is a provider's.
    expect((await send({ ...host, authorization: 'Bearer mistralKey0000000000000000000000' })).status).toBe(
      200,
    );
  });

  const URLS = { rightful: () => `${rightful.origin}/v1`, other: () => `${other.origin}/v1` };
  const at = (which: Host, field = 'custom_host'): Record<string, string> =>
    which === null ? {} : { [field]: URLS[which]() };
  const targetOf = ({ name, host }: DrawnTarget): object => ({ ...name, ...at(host) });

  function configOf({ targets, mode, root, embeddings }: Drawn): object {
    const two = targets.length < 2 ? [...targets, ...targets] : targets;
    const strategy = { strategy: { mode }, targets: two.map(targetOf) };
    const cache = embeddings && { mode: 'semantic', embeddings: { ...targetOf(embeddings), model: 'e' } };
    const node = mode === 'single' ? targetOf(targets[0] as DrawnTarget) : strategy;
    return { ...node, ...at(root), ...(cache ? { cache } : {}) };
  }

  const headersOf = (drawn: Drawn): Record<string, string> => ({
    ...(drawn.header === null ? {} : { 'x-gw-provider': drawn.header }),
    ...(drawn.virtualKey ? { 'x-gw-virtual-key': 'main' } : {}),
    ...at(drawn.headerHost, 'x-gw-custom-host'),
    ...(drawn.brings ? own : {}),
  });

  /** The provider that the caller's key is for. */
  function intendedBy({ header, virtualKey, targets }: Drawn): string | null {
    if (header !== null || virtualKey) return header;
    return (targets[0]?.name as { provider?: string }).provider ?? null;
  }

  function expectNoLeak(drawn: Drawn): void {
    expect(seen(other)).not.toContain(SAVED_KEY);
    // A host that the caller wrote down himself may have his key, if it speaks for the provider that it is for.
    const isHis = drawn.headerHost === 'other' || !drawn.saved;
    for (const { headers } of other.requests) {
      const spoken = headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
      if (!isHis || intendedBy(drawn) !== spoken) expect(JSON.stringify(headers)).not.toContain(OWN_KEY);
    }
  }

  it('never shows a saved or a brought key to any host but its own, whatever the request and the config name', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(DRAWN, async (drawn) => {
        other.requests.length = 0;
        other.answer({ status: drawn.mode === 'fallback' ? 503 : 200, body: {} });
        const slug = `pc-${String((number += 1))}`;
        if (drawn.saved) gateway.addConfig(slug, configOf(drawn));
        const config = drawn.saved ? slug : JSON.stringify(configOf(drawn));
        const body = { model: drawn.model, input: 'Hi' };
        const answer = await send({ ...headersOf(drawn), 'x-gw-config': config }, drawn.path, body);
        await answer.arrayBuffer();
        expectNoLeak(drawn);
      }),
      { numRuns: 150 },
    );
  }, 120_000);
});

type Host = 'rightful' | 'other' | null;
type Drawn = typeof DRAWN extends fc.Arbitrary<infer Value> ? Value : never;
type DrawnTarget = Drawn['targets'][number];

const HOST = fc.constantFrom<Host[]>(null, 'rightful', 'other');
const TARGET = fc.record({ name: fc.constantFrom(...NAMES), host: HOST });
const DRAWN = fc.record({
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
