import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { TestClient, type TestResponse } from '../spec-support/test-client';

const NAME = 'tell_ultraviolet';
const [FIRST, REST] = [NAME.slice(0, 8), NAME.slice(8)];

/** A provider whose model calls a function: with a whole response, and with a stream. */
interface Caller {
  readonly provider: string;
  readonly response: object;
  readonly events: readonly object[];
}

const called = { id: 'c', type: 'function', function: { name: NAME, arguments: '{"q":1}' } };
const chunk = (delta: object, reason: string | null = null): object => ({
  id: 'r',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: reason }],
});
const item = { type: 'function_call', id: 'f', call_id: 'c', name: NAME, arguments: '{"q":1}' };
const use = { type: 'tool_use', id: 't', name: NAME };
const part = { functionCall: { name: NAME, args: { q: 1 } } };
const gemini = {
  candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
};

const CALLERS: Readonly<Record<string, Caller>> = {
  chat: {
    provider: '@main',
    response: {
      id: 'r',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [called] } }],
    },
    events: [
      chunk({
        role: 'assistant',
        tool_calls: [{ index: 0, ...called, function: { name: NAME, arguments: '' } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"q":1}' } }] }),
      chunk({}, 'tool_calls'),
    ],
  },
  responses: {
    provider: '@main',
    response: { id: 'r', object: 'response', status: 'completed', output: [item] },
    events: [
      { type: 'response.created', response: { id: 'r', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'f', delta: '{"q":1}' },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } },
    ],
  },
  messages: {
    provider: '@claude',
    response: {
      id: 'r',
      type: 'message',
      role: 'assistant',
      content: [{ ...use, input: { q: 1 } }],
      usage: {},
    },
    events: [
      { type: 'message_start', message: { id: 'r', model: 'c', usage: { input_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { ...use, input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"q":1}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ],
  },
  gemini: {
    provider: '@gemini',
    response: gemini,
    events: [gemini],
  },
};

const PATHS: Readonly<Record<string, string>> = {
  chat: '/chat/completions',
  responses: '/responses',
  messages: '/messages',
  gemini: '/../v1beta/models/gemini-2.5-flash:generateContent',
};
const BODY = {
  model: 'm',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Hi' }],
};
const bodyOf = (dialect: string, stream: boolean): object =>
  dialect === 'gemini'
    ? { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
    : dialect === 'responses'
      ? { model: 'm', input: 'Hi', stream }
      : { ...BODY, stream };

const DENYING = { deny: true, contains: { words: ['ultraviolet'], operator: 'none', scope: ['tools'] } };
const REPLACING = { regexReplace: { rule: 'ultraviolet', scope: ['tools'] } };
const HOLDING = {
  deny: true,
  regexMatch: { rule: 'ultraviolet', not: true, scope: ['tools'] },
  wordCount: {},
};
const MISSING = { deny: true, contains: { words: ['infrared'], operator: 'none', scope: ['all'] } };

/** The dialects of providers that serve a client of a dialect, its own first. */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  chat: ['chat', 'messages'],
  responses: ['responses', 'messages'],
  messages: ['messages', 'chat'],
  gemini: ['gemini', 'messages', 'chat'],
};
const pairs = Object.entries(PROVIDERS).flatMap(([client, providers]) =>
  providers.flatMap((provider) =>
    [false, true].map((stream): [string, string, boolean] => [client, provider, stream]),
  ),
);

describe('the name of a function that a model calls', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('claude', 'anthropic', stub.origin);
    gateway.addProvider('gemini', 'google', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const ask = (
    client: string,
    { provider, response, events }: Caller,
    stream: boolean,
    guardrail: object,
  ): Promise<TestResponse> => {
    const frames = events.map((event) => {
      const { type } = event as { type?: string };
      return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`;
    });
    stub.respond(
      stream
        ? {
            headers: { 'content-type': 'text/event-stream' },
            steps: frames.map((frame) => ({ chunk: frame })),
          }
        : { headers: { 'content-type': 'application/json' }, steps: [{ chunk: JSON.stringify(response) }] },
    );
    const path = (PATHS[client] ?? '').replace(
      ':generateContent',
      stream ? ':streamGenerateContent?alt=sse' : ':generateContent',
    );
    return asker.ask(path, bodyOf(client, stream), { config: { provider, output_guardrails: [guardrail] } });
  };

  describe.each(pairs)(
    'for a client of %s at a provider of %s (streamed: %s)',
    (client, provider, stream) => {
      const caller = CALLERS[provider] as Caller;

      it.each([
        ['a check that finds it denies', DENYING],
        ['a check that would replace it denies', REPLACING],
        ['a check of the whole response denies', HOLDING],
      ])('is not sent when %s', async (_, guardrail) => {
        const { status, text } = await ask(client, caller, stream, guardrail);
        expect(text).not.toContain('ultraviolet');
        expect(text).toContain('hooks_failed');
        if (!stream) expect(status).toBe(446);
      });

      it('is sent when the checks pass', async () => {
        const { status, text } = await ask(client, caller, stream, MISSING);
        expect(status).toBe(200);
        expect(text).toContain(NAME);
      });
    },
  );

  it('is judged as a whole when a stream sends it in pieces', async () => {
    const pieces = [FIRST, REST].map((name) => chunk({ tool_calls: [{ index: 0, function: { name } }] }));
    const caller = { ...(CALLERS['chat'] as Caller), events: pieces };
    const { text } = await ask('chat', caller, true, {
      deny: true,
      contains: { words: [NAME], operator: 'none', scope: ['tools'] },
    });
    expect(text).toContain(FIRST);
    expect(text).not.toContain(REST);
    expect(text).toContain('hooks_failed');
  });
});
