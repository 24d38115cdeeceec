import { StubProvider } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

const event = (type: string, rest: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
const STREAM =
  event('message_start', { message: { id: 'm', model: 'm', content: [], usage: { input_tokens: 1 } } }) +
  event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '' } }) +
  event('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } }) +
  event('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 's' } }) +
  event('content_block_stop', { index: 0 }) +
  event('content_block_start', { index: 1, content_block: { type: 'text', text: '' } }) +
  event('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'Hi' } }) +
  event('content_block_stop', { index: 1 }) +
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }) +
  event('message_stop', {});
const MESSAGE = {
  id: 'm',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'Hm', signature: 's' },
    { type: 'text', text: 'Hi' },
  ],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const CHECK = { contains: { words: ['nothing of it'], operator: 'none' } };
const OWN = ['reasoning_content', 'thinking_blocks', '"provider":"anthropic"'];

describe('strict_open_ai_compliance', () => {
  let gateway: GatewayHarness;
  let provider: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    provider = await StubProvider.start();
    gateway.addProvider('claude', 'anthropic', provider.origin);
    gateway.addProvider('other', 'openai', provider.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), provider.stop()]);
  });

  const ask = (
    config: object,
    stream: boolean,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> => {
    provider.respond(
      stream ? { headers: { 'content-type': 'text/event-stream' }, body: STREAM } : { body: MESSAGE },
    );
    const messages = [{ role: 'user', content: 'Hi' }];
    return asker.ask('/chat/completions', { model: 'm', stream, messages }, { config, headers });
  };
  const shown = ({ status, text }: TestResponse) => {
    expect([status, text.includes('Hi')]).toEqual([200, true]);
    return OWN.filter((member) => text.includes(member));
  };
  const HEADER = 'x-gw-strict-open-ai-compliance';

  const kinds: readonly (readonly [string, boolean, object])[] = [
    ['an answer', false, {}],
    ['a stream', true, {}],
    ['a judged response', false, { output_guardrails: [CHECK] }],
    ['a judged stream', true, { output_guardrails: [CHECK] }],
    ['a stream that may be continued', true, { on_stream_failure: 'continue' }],
  ];

  it.each(kinds)(
    'shows only members of the OpenAI API in %s, unless it is false',
    async (_, stream, more) => {
      const target = { provider: '@claude', ...more };
      expect(shown(await ask(target, stream))).toEqual([]);
      expect(shown(await ask({ ...target, strict_open_ai_compliance: true }, stream))).toEqual([]);
      expect(shown(await ask({ ...target, strict_open_ai_compliance: false }, stream))).toEqual(OWN);
    },
  );

  it('inherits the setting, and gives the header precedence', async () => {
    const parent = { strict_open_ai_compliance: false, strategy: { mode: 'single' } };
    expect(shown(await ask({ ...parent, targets: [{ provider: '@claude' }] }, false))).toEqual(OWN);
    const child = { provider: '@claude', strict_open_ai_compliance: true };
    expect(shown(await ask({ ...parent, targets: [child] }, false))).toEqual([]);
    expect(shown(await ask(child, true, { [HEADER]: 'false' }))).toEqual(OWN);
    expect(
      shown(await ask({ ...parent, targets: [{ provider: '@claude' }] }, true, { [HEADER]: 'true' })),
    ).toEqual([]);
  });

  it('accepts only true and false in the header', async () => {
    const { status, text } = await ask({ provider: '@claude' }, false, { [HEADER]: 'maybe' });
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      { error: { param: HEADER, message: `${HEADER} must be true or false.` } },
    ]);
  });

  it('shows the verdicts on a passed stream when false, also those of input guardrails alone', async () => {
    const target = { provider: '@claude', strict_open_ai_compliance: false };
    const output = await ask({ ...target, output_guardrails: [CHECK] }, true);
    const input = await ask({ ...target, input_guardrails: [CHECK] }, true);
    for (const { text } of [output, input]) {
      const events = text.split('\n\n');
      expect(events.findIndex((data) => data.includes('"hook_results"'))).toBe(
        events.indexOf('data: [DONE]') - 1,
      );
    }
    const strict = await ask({ provider: '@claude', output_guardrails: [CHECK] }, true);
    expect(strict.text).not.toContain('hook_results');
  });

  it('shows thinking that a guardrail replaced in no member of the response', async () => {
    const replace = { regexReplace: { rule: 'Hm', redactText: '[gone]', scope: ['all'] } };
    const target = { provider: '@claude', strict_open_ai_compliance: false, output_guardrails: [replace] };
    const response = await ask(target, false);
    expect([response.text.split('[gone]').length, response.text.includes('Hm')]).toEqual([3, false]);
    const stream = await ask(target, true);
    expect([stream.text.split('[gone]').length, stream.text.includes('Hm')]).toEqual([2, false]);
  });

  it('changes no byte of a response in the client’s own dialect', async () => {
    const body = `{"id":"c", "choices":[{"index":0,"message":{"role":"assistant","reasoning_content":"Hm","content":"Hi"}}],"citations":["u"]}`;
    for (const strict of ['true', 'false']) {
      provider.respond({ headers: { 'content-type': 'application/json' }, body });
      const response = await asker.ask(
        '/chat/completions',
        { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
        { config: { provider: '@other' }, headers: { [HEADER]: strict } },
      );
      expect(response.text).toBe(body);
    }
  });
});
