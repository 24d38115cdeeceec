import type { DecisionRecord } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { TestClient } from '../../spec-support/test-client';
import { GatewayHarness } from '../../spec-support/harness';

// A busy machine may take several times as long.
jest.setTimeout(60_000);

const MESSAGE = {
  id: 'm',
  model: 'm',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};

describe('drop_unsupported', () => {
  let gateway: GatewayHarness;
  let failing: StubProvider;
  let claude: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [failing, claude] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    failing.respond({ status: 503, body: {} });
    claude.respond({ body: MESSAGE });
    gateway.addProvider('openai', 'openai', failing.origin);
    gateway.addProvider('claude', 'anthropic', claude.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), failing.stop(), claude.stop()]);
  });

  const BODY = {
    model: 'm',
    seed: 7,
    store: true,
    verbosity: 'low',
    metadata: { team: 'a' },
    temperature: 1.5,
    messages: [{ role: 'user', name: 'bob', content: 'Hi' }],
  };
  const DROPPED = ['seed', 'store', 'verbosity', 'messages.0.name', 'temperature', 'metadata.team'];
  const ask = (more: object, target: object = {}, body: object = BODY) =>
    asker.ask('/chat/completions', body, {
      config: {
        strategy: { mode: 'fallback' },
        ...more,
        targets: [{ provider: '@openai' }, { provider: '@claude', ...target }],
      },
      headers: { 'x-gw-explain': '1' },
    });

  it('lets a request fall back to Anthropic, and records the parameters left out', async () => {
    const response = await ask({}, { drop_unsupported: true });
    expect(response.status).toBe(200);
    expect(JSON.parse(claude.requests.at(-1)?.body.toString() ?? '')).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      max_tokens: 4_096,
      temperature: 1,
    });
    const decision = JSON.parse(response.headers.get('x-gw-decision') ?? 'null') as DecisionRecord;
    expect(decision.attempts.map(({ dropped }) => dropped)).toEqual([undefined, DROPPED]);
    const [record] = await gateway.records();
    expect(record?.decision.attempts.map(({ dropped }) => dropped)).toEqual([undefined, DROPPED]);
  });

  it('inherits the setting from the nearest node', async () => {
    expect((await ask({ drop_unsupported: true })).status).toBe(200);
    expect((await ask({ drop_unsupported: true }, { drop_unsupported: false })).status).toBe(400);
  });

  it('refuses parameters that Anthropic does not support when it is not set, without a call', async () => {
    const response = await ask({}, {}, { ...BODY, seed: null });
    expect([response.status, JSON.parse(response.text)]).toMatchObject([
      400,
      { error: { param: 'store', message: expect.stringContaining('set drop_unsupported') as string } },
    ]);
    expect(claude.requests).toEqual([]);
  });
});
