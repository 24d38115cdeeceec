import { eventually, StubProvider } from '@gw/testing';
import { TestClient } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

const ASK = { model: 'gpt-4o', messages: [] };

describe('provider of which one model hangs', () => {
  let gateway: GatewayHarness;
  let provider: StubProvider;

  beforeEach(async () => {
    provider = await StubProvider.start();
    gateway = await GatewayHarness.start({ MAX_CONNECTIONS_PER_PROVIDER: '8', CONNECT_TIMEOUT: '1000' });
    gateway.addProvider('one', 'openai', provider.origin);
    provider.respond(({ body }) =>
      body.includes('hangs') ? { neverRespond: true } : { body: { choices: [] } },
    );
  });
  afterEach(() => Promise.all([gateway.stop(), provider.stop()]));

  it('keeps connections for its other models, because one model gets half of them at most', async () => {
    const asker = new TestClient(() => gateway);
    const leaving = new AbortController();
    const headers = { 'x-gw-provider': '@one' };
    const ask = (model: string, signal?: AbortSignal) =>
      asker.ask('/chat/completions', { ...ASK, model }, { headers, ...(signal && { signal }) });
    const held = [1, 2, 3, 4].map(() => ask('hangs', leaving.signal).catch(() => null));
    await provider.waitForRequest(4);
    const beyond = await Promise.all(Array.from({ length: 8 }, () => ask('hangs')));
    expect(beyond.map(({ status }) => status)).toEqual(Array(8).fill(503));
    expect((await Promise.all([ask('works'), ask('works')])).map(({ status }) => status)).toEqual([200, 200]);
    leaving.abort();
    await Promise.all(held);
    await eventually(() => gateway.plane.outbound.stats().calls === 0);
  });
});

describe('provider whose connections are all in use', () => {
  let gateway: GatewayHarness;
  let [busy, other]: StubProvider[] = [];

  beforeEach(async () => {
    [busy, other] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway = await GatewayHarness.start({ MAX_CONNECTIONS_PER_PROVIDER: '1', CONNECT_TIMEOUT: '1000' });
    gateway.addProvider('busy', 'openai', busy.origin);
    gateway.addProvider('other', 'openai', other.origin);
    busy.respond({ neverRespond: true });
    other.respondJson({ choices: [] });
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), busy?.stop(), other?.stop()]);
  });

  it('returns 503 with its own error type and retry-after, or tries the next target', async () => {
    const asker = new TestClient(() => gateway);
    const leaving = new AbortController();
    const headers = { 'x-gw-provider': '@busy' };
    const held = asker.ask('/chat/completions', ASK, { headers, signal: leaving.signal });
    await busy?.waitForRequest(1);
    const refused = await asker.ask('/chat/completions', ASK, { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(JSON.parse(refused.text)).toMatchObject({ error: { type: 'provider_connections_exhausted' } });
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@busy' }, { provider: '@other' }],
    };
    const moved = await asker.ask('/chat/completions', ASK, { config });
    expect([moved.status, busy?.requests.length, other?.requests.length]).toEqual([200, 1, 1]);
    expect(gateway.plane.outbound.stats().waiting).toBe(0);
    leaving.abort();
    await expect(held).rejects.toThrow();
    await eventually(() => gateway.plane.outbound.stats().calls === 0);
  });
});
