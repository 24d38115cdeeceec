import { StubProvider } from '@gw/testing';
import { TestClient } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

/** Infinity as a double. */
const TOO_LARGE = '1e400';
const NUMBERS = [
  ...['9007199254740993', '12345678901234567890', TOO_LARGE, '-1.00000000000000000001', '0.1'],
];
const REPLACE = { regexReplace: { rule: 'secret', redactText: '[gone]', scope: ['all'] } };
const MESSAGE = `{"id":"m","model":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1}}`;

describe('numbers that a double cannot represent', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
    const template = JSON.stringify([{ role: 'user', content: 'Hi {{name}}' }]);
    gateway.addPrompt('pp-numbers', [{ template, model: 'm', virtualKey: 'main' }]);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = (path: string, body: string, config: object) =>
    asker.ask(path, Buffer.from(body), { config, headers: { 'content-type': 'application/json' } });
  const sent = (): string => stub.requests.at(-1)?.body.toString() ?? '';
  const chat = (number: string): string =>
    `{"model":"m","max_tokens":9,"top_k":${number},"messages":[{"role":"user","content":"a secret"}]}`;

  it.each(NUMBERS)(
    'sends them to the provider unchanged in a request that is redacted: %s',
    async (number) => {
      stub.respond({ body: { choices: [] } });
      await ask('/chat/completions', chat(number), { provider: '@main', input_guardrails: [REPLACE] });
      expect(sent()).toContain(`"top_k":${number},`);
      expect(sent()).toContain('a [gone]');
    },
  );

  it.each(NUMBERS)(
    'sends them to the client unchanged in a response that is redacted: %s',
    async (number) => {
      const body = `{"odd":${number},"choices":[{"index":0,"message":{"role":"assistant","content":"a secret"}}]}`;
      stub.respond({ headers: { 'content-type': 'application/json' }, body });
      const { text } = await ask('/chat/completions', chat('1'), {
        provider: '@main',
        output_guardrails: [REPLACE],
      });
      expect(text).toContain(`"odd":${number},`);
      expect(text).toContain('a [gone]');
    },
  );

  it.each(NUMBERS.filter((number) => number !== TOO_LARGE))(
    'sends them to the provider unchanged in a request that is translated: %s',
    async (number) => {
      stub.respond({ headers: { 'content-type': 'application/json' }, body: MESSAGE });
      await ask('/chat/completions', chat(number), { provider: '@claude' });
      expect(sent()).toContain(`"top_k":${number}}`);
    },
  );

  it('refuses one that is too large for a double in a parameter that the translation reads', async () => {
    const before = stub.requests.length;
    const { status, text } = await ask('/chat/completions', chat(TOO_LARGE), { provider: '@claude' });
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: { param: 'top_k' } }]);
    expect(stub.requests).toHaveLength(before);
  });

  it.each(NUMBERS)('sends them to the provider unchanged in a prompt: %s', async (number) => {
    stub.respond({ body: { choices: [] } });
    await ask('/prompts/pp-numbers/completions', `{"variables":{"name":"Jo"},"top_k":${number}}`, {
      provider: '@main',
    });
    expect(sent()).toContain(`"top_k":${number}`);
    expect(sent()).toContain('Hi Jo');
  });

  it.each(NUMBERS)(
    'keeps them unchanged in tool arguments translated in both directions: %s',
    async (number) => {
      const input = `{"id":${number}}`;
      const body = `{"id":"m","model":"m","content":[{"type":"tool_use","id":"t","name":"f","input":${input}}],"stop_reason":"tool_use","usage":{"input_tokens":1}}`;
      stub.respond({ headers: { 'content-type': 'application/json' }, body });
      const call = { id: 't', type: 'function', function: { name: 'f', arguments: input } };
      const messages = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 't', content: 'x' },
      ];
      const { text } = await ask('/chat/completions', JSON.stringify({ model: 'm', messages }), {
        provider: '@claude',
      });
      expect(sent()).toContain(`"input":${input}`);
      expect(text).toContain(JSON.stringify(input));
    },
  );
});
