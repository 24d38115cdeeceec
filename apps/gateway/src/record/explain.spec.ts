import type { DecisionRecord } from '@gw/contracts';
import { StubProvider } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

const EVENTS = { headers: { 'content-type': 'text/event-stream' } };
const CHAT = 'data: {"model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n';
const event = (type: string, rest: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
const MESSAGES =
  event('message_start', { message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 1 } } }) +
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }) +
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }) +
  event('message_stop', {});
const CHECK = { contains: { words: ['nothing of it'], operator: 'none' } };

type Decision = DecisionRecord;

describe('x-gw-explain: 1', () => {
  let gateway: GatewayHarness;
  let failing: StubProvider;
  let good: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [failing, good] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    failing.respond({ status: 503, body: {} });
    gateway.addProvider('failing', 'openai', failing.origin);
    gateway.addProvider('good', 'openai', good.origin);
    gateway.addProvider('claude', 'anthropic', good.origin);
    gateway.addProvider('failing-claude', 'anthropic', failing.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), failing.stop(), good.stop()]);
  });

  const BODY = { model: 'm', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'Hi' }] };
  const ask = (config: object, path = '/chat/completions', explain = '1'): Promise<TestResponse> =>
    asker.ask(path, BODY, { config, headers: { 'x-gw-explain': explain } });
  const decisionOf = ({ headers }: TestResponse): Decision =>
    JSON.parse(headers.get('x-gw-decision') ?? 'null') as Decision;
  const over = (provider: string, more: object = {}, first = '@failing'): object => ({
    strategy: { mode: 'fallback', cb_config: { consecutive_failures: 1, cooldown_interval: 3_600_000 } },
    targets: [{ provider: first }, { provider }],
    ...more,
  });

  const cases: readonly (readonly [string, string, string, string, object])[] = [
    ['a stream', '@good', CHAT, '/chat/completions', {}],
    ['a translated stream', '@claude', MESSAGES, '/chat/completions', {}],
    ['a stream of messages', '@claude', MESSAGES, '/messages', {}],
    ['a stream on passthrough', '@good', CHAT, '/proxy/any', {}],
    ['a stream that may be restarted', '@good', CHAT, '/chat/completions', { on_stream_failure: 'restart' }],
    ['a stream that may be continued', '@good', CHAT, '/chat/completions', { on_stream_failure: 'continue' }],
    ['a stream with an output check', '@good', CHAT, '/chat/completions', { output_guardrails: [CHECK] }],
    ['a stream that is cached', '@good', CHAT, '/chat/completions', { cache: { mode: 'simple' } }],
  ];

  it.each(cases)('returns the decision in the head of %s', async (_name, provider, body, path, more) => {
    good.respond({ ...EVENTS, body });
    const first = path === '/messages' ? '@failing-claude' : '@failing';
    const response = await ask(over(provider, more, first), path);
    expect([response.status, response.text.includes('Hi')]).toEqual([200, true]);
    const decision = decisionOf(response);
    expect(decision).toMatchObject({
      config: { source: 'header' },
      strategy: ['config: fallback -> targets[0]', 'config: fallback -> targets[1]'],
      attempts: [
        { target: 'config.targets[0]', status: 503 },
        { target: 'config.targets[1]', status: 200, end: 'answered' },
      ],
      routing: [{ target: 'config.targets[0]', event: 'breaker_opened' }],
    });
    expect(decision.cache?.status).toBe('cache' in more ? 'MISS' : undefined);
    // The log contains the same, and more.
    const [record] = await gateway.records();
    expect(record?.decision).toMatchObject({ strategy: decision.strategy, routing: decision.routing });
  });

  it('returns the decision of a stream from the cache', async () => {
    good.respond({ ...EVENTS, body: CHAT });
    const config = { provider: '@good', cache: { mode: 'simple' } };
    await ask(config);
    expect(decisionOf(await ask(config))).toMatchObject({ cache: { status: 'HIT' } });
  });

  it('returns the attempts of a stream that broke before its first event', async () => {
    failing.respond({ ...EVENTS, steps: [{ cut: 'end' }] });
    good.respond({ ...EVENTS, body: CHAT });
    const { attempts } = decisionOf(await ask(over('@good', { on_stream_failure: 'restart' })));
    expect(attempts.map(({ end }) => end)).toEqual(['interrupted', 'answered']);
  });

  it('adds no explanation without the header', async () => {
    good.respond({ ...EVENTS, body: CHAT });
    expect(decisionOf(await ask({ provider: '@good' }, undefined, '0'))).toBeNull();
  });
});
