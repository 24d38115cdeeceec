import type { DecisionRecord } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { TestClient } from '../../spec-support/test-client';
import { GatewayHarness, WORKSPACE_ID } from '../../spec-support/harness';

const MESSAGE = {
  id: 'm',
  model: 'm',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};

describe('translation.loss', () => {
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
    model: 'claude-sonnet-4-5',
    seed: 7,
    store: true,
    verbosity: 'low',
    metadata: { team: 'a' },
    temperature: 1.5,
    messages: [{ role: 'user', name: 'bob', content: 'Hi' }],
  };
  const LOSSES = [
    { path: 'max_tokens', code: 'generated', to: '64000' },
    { path: 'messages.0.name', code: 'dropped' },
    { path: 'temperature', code: 'approximated', to: '1' },
    { path: 'verbosity', code: 'dropped' },
    { path: 'seed', code: 'dropped' },
    { path: 'store', code: 'dropped' },
    { path: 'metadata', code: 'dropped' },
  ];
  const ask = (more: object, target: object = {}, body: object = BODY) =>
    asker.ask('/chat/completions', body, {
      config: {
        strategy: { mode: 'fallback' },
        ...more,
        targets: [{ provider: '@openai' }, { provider: '@claude', ...target }],
      },
      headers: { 'x-gw-explain': '1' },
    });

  it('names members of any spelling in the header', async () => {
    const body = { ...BODY, 'a\r\nx-made: 1\r\n': 1, 'b, c=dropped;é': 1 };
    const response = await ask({}, { translation: { loss: 'adapt' } }, body);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-made')).toBeNull();
    const header = response.headers.get('x-gw-translation-loss');
    expect(header).toContain('a??x-made:?1??=dropped, b??c?dropped??=dropped');
  });

  it('lets a request fall back to Anthropic, and records what was lost', async () => {
    const response = await ask({}, { translation: { loss: 'adapt' } });
    expect(response.status).toBe(200);
    expect(JSON.parse(claude.requests.at(-1)?.body.toString() ?? '')).toEqual({
      model: 'claude-sonnet-4-5',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      max_tokens: 64_000,
      temperature: 1,
    });
    const decision = JSON.parse(response.headers.get('x-gw-decision') ?? 'null') as DecisionRecord;
    expect(decision.attempts.map(({ losses }) => losses)).toEqual([undefined, LOSSES]);
    const [record] = await gateway.records();
    expect(record?.decision.attempts.map(({ losses }) => losses)).toEqual([undefined, LOSSES]);
  });

  it.each([
    ['of the config', { translation: { loss: 'adapt' } }, {}, 200],
    [
      'of the target before that of the config',
      { translation: { loss: 'adapt' } },
      { translation: { loss: 'strict' } },
      400,
    ],
    ['by its older name', { drop_unsupported: true }, {}, 200],
    [
      'by its older name at the nearest node',
      { translation: { loss: 'adapt' } },
      { drop_unsupported: false },
      400,
    ],
  ])('takes the setting %s', async (_name, config, target, status) => {
    expect((await ask(config, target)).status).toBe(status);
  });

  it.each([
    ['is that of the workspace where no config has it', {}, 200],
    ['of a config comes before that of the workspace', { translation: { loss: 'strict' } }, 400],
  ])('the setting %s', async (_name, config, status) => {
    gateway.addTenant(WORKSPACE_ID, 'main', { translationLoss: 'adapt' });
    expect((await ask(config)).status).toBe(status);
  });

  it('refuses parameters that Anthropic does not support by default, without a call', async () => {
    const response = await ask({}, {}, { ...BODY, seed: null });
    expect([response.status, JSON.parse(response.text)]).toMatchObject([
      400,
      {
        error: {
          type: 'unsupported_by_provider',
          param: 'temperature',
          message: expect.stringContaining('set translation.loss to adapt') as string,
          details: [{ path: 'temperature' }, { path: 'verbosity' }],
        },
      },
    ]);
    expect(claude.requests).toEqual([]);
  });

  it('refuses another value of the setting, naming the allowed ones', async () => {
    const response = await ask({}, { translation: { loss: 'some' } });
    expect([response.status, response.text]).toEqual([
      400,
      expect.stringMatching(/translation\.loss.*strict.*adapt/),
    ]);
  });

  it('goes on to the next target when one cannot express the call, and never opens its breaker', async () => {
    failing.respond({ body: { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] } });
    const config = {
      strategy: {
        mode: 'fallback',
        cb_config: { failure_threshold: 1, cooldown_interval: 30_000 },
      },
      targets: [{ provider: '@claude' }, { provider: '@openai' }],
    };
    const call = (body: object) => asker.ask('/chat/completions', body, { config });
    expect((await call(BODY)).status).toBe(200);
    expect((await call(BODY)).status).toBe(200);
    expect([claude.requests.length, failing.requests.length]).toEqual([0, 2]);
    await call({ model: 'claude-sonnet-4-5', messages: BODY.messages });
    expect(claude.requests).toHaveLength(1);
  });
});
