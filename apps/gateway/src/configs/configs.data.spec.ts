import { readCases, StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

interface Row {
  readonly id: string;
  readonly config?: { readonly [member: string]: unknown };
  readonly raw?: string;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly reason: string;
  readonly check?: string;
}

/**
 * The policy trusts loopback here, because the harness's providers listen on it; this row expects a
 * refusal.
 */
const TRUSTED_HERE = 'cfg-092';

/**
 * Unknown slugs are refused where a config is saved, and Node bounds what a header may hold, so
 * both rows are left out here.
 */
const isInline = ({ id, config, raw }: Row): boolean =>
  id !== TRUSTED_HERE &&
  (config !== undefined || raw !== undefined) &&
  JSON.stringify(config ?? raw).length < 8_000;

const { cases } = readCases('configs.json') as { cases: readonly Row[] };
const rows = cases.filter(isInline);

describe('inline configs of the verdict table', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let elsewhere: StubProvider;

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    [stub, elsewhere] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    stub.respondJson({ choices: [] });
    gateway.addGuardrail('gr-existing', [{ id: 'default.wordCount' }]);
    for (const slug of ['a', 'b', 'c']) gateway.addProvider(slug, 'openai', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop(), elsewhere.stop()]);
  });

  /** Returns the status, and how often a provider was called. */
  async function sent(
    config: string,
  ): Promise<{ readonly status: number; readonly calls: number; body: string }> {
    const before = stub.requests.length;
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': config.replaceAll(/[^\x20-\x7e]/g, ' '),
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'gpt-x', messages: [] }),
    });
    const body = await response.text();
    return { status: response.status, calls: stub.requests.length - before, body };
  }

  it.each(rows)('[PAS-04] $id: $expect $reason', async ({ config, raw, expect: verdict }) => {
    const { status, calls, body } = await sent(raw ?? JSON.stringify(config));
    if (verdict === 'accept') expect([status, calls]).toEqual([200, 1]);
    else if (verdict === 'reject') {
      expect([status, calls]).toEqual([400, 0]);
      expect(body).toContain('"code":"AB');
    } else {
      expect(status).toBeLessThan(500);
      expect(calls).toBe(status === 200 ? 1 : 0);
    }
  });

  const checked = rows.filter(({ check }) => check === 'upstream host unchanged');

  it.each(checked)('$id: changes neither the host nor the credential ($reason)', async ({ config }) => {
    const text = JSON.stringify(config).replaceAll('http://127.0.0.1/', `${elsewhere.origin}/`);
    const { status } = await sent(text);
    expect([status, elsewhere.connections]).toEqual([200, 0]);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-a');
    expect(stub.lastRequest.url).toBe('/v1/chat/completions');
  });

  it('has rows of each verdict, and rows that check the host', () => {
    expect(new Set(rows.map(({ expect: verdict }) => verdict)).size).toBe(3);
    expect(checked.length).toBeGreaterThan(3);
  });

  it.each([
    ['no targets', []],
    ['only zero weights', [0, 0]],
    ['a negative weight', [1, -1]],
    ['an empty string as weight', [1, '']],
    ['a null as weight', [1, null]],
  ])(
    'refuses %s inline, at the root and in a nested target, without calling a provider',
    async (_, weights) => {
      const targets = weights.map((weight) => ({ provider: '@a', weight }));
      const balance = { strategy: { mode: 'loadbalance' }, targets };
      const nested = { strategy: { mode: 'fallback' }, targets: [{ provider: '@a' }, balance] };
      for (const config of [balance, nested]) {
        const { status, calls, body } = await sent(JSON.stringify(config));
        expect([status, calls, body.includes('AB01')]).toEqual([400, 0, true]);
      }
    },
  );
});
