import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const QUESTION = { contents: [{ role: 'user', parts: [{ text: 'What is the weather in Paris?' }] }] };
const TOOLS = [
  {
    functionDeclarations: [
      { name: 'get_weather', parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } } },
    ],
  },
];
const USAGE = { promptTokenCount: 20, candidatesTokenCount: 5, thoughtsTokenCount: 2, totalTokenCount: 27 };
const said = (text: string, more: object = {}): object => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
  modelVersion: 'gemini-2.5-pro',
  responseId: 'r1',
  usageMetadata: USAGE,
});
const chatChunk = (delta: object, finish: string | null = null): string =>
  JSON.stringify({
    id: 'c',
    created: 1,
    model: 'llama',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(finish === null ? {} : { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }),
  });

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

describe('clients of Gemini', () => {
  let gateway: GatewayHarness;
  let gemini: StubProvider;
  let chat: StubProvider;
  let claude: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [gemini, chat, claude] = await Promise.all([
      StubProvider.start(),
      StubProvider.start(),
      StubProvider.start(),
    ]);
    gateway.addProvider('gemini', 'google', gemini.origin);
    gateway.addProvider('groq', 'groq', chat.origin);
    gateway.addProvider('claude', 'anthropic', claude.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), gemini.stop(), chat.stop(), claude.stop()]);
  });

  async function send(
    path: string,
    body: unknown,
    headers: Record<string, string> = { 'x-gw-trace-id': 'any' },
    key: string | null = gateway.apiKey,
  ): Promise<Received> {
    const response = await fetch(gateway.baseUrl.replace(/\/v1$/, path), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key === null ? {} : { 'x-goog-api-key': key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const parsed = ({ text }: Received): unknown => JSON.parse(text);
  const sent = (stub: StubProvider): unknown => JSON.parse(stub.lastRequest.body.toString());

  describe('at Gemini', () => {
    it('send their bytes unchanged, with the provider’s own key and the model in the path', async () => {
      gemini.respondJson(said('Sunny', { finishReason: 'STOP' }));
      const bytes =
        '{ "contents":[{"parts":[{"text":"a\\u00e9","thoughtSignature":"s=="}]}], "generationConfig":{"temperature":1.0}, "new":1e2 }';
      const response = await send('/v1beta/models/@gemini%2Fgemini-2.5-pro:generateContent', bytes);
      expect(response.status).toBe(200);
      expect(response.text).toBe(JSON.stringify(said('Sunny', { finishReason: 'STOP' })));
      expect(gemini.lastRequest.body.toString()).toBe(bytes);
      expect(gemini.lastRequest.url).toBe('/v1/models/gemini-2.5-pro:generateContent');
      expect(gemini.lastRequest.headers['x-goog-api-key']).toBe('sk-gemini');
      const [record] = await gateway.records();
      expect(record).toMatchObject({
        route: 'gemini.generateContent',
        model: 'gemini-2.5-pro',
        usage: { inputTokens: 20, outputTokens: 7, reasoningTokens: 2 },
      });
    });

    it('stream events, and a JSON list without alt=sse', async () => {
      const path = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';
      const events = [said('Sun'), said('ny', { finishReason: 'STOP' })];
      const headers = { 'x-gw-provider': '@gemini' };
      gemini.respondEvents(events.map((event) => JSON.stringify(event)));
      const asEvents = await send(`${path}?alt=sse`, QUESTION, headers);
      expect(asEvents.text).toBe(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
      const asList = await send(path, QUESTION, headers);
      expect(asList.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(parsed(asList)).toEqual(events);
      expect(gemini.lastRequest.url).toBe('/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse');
    });

    it('end a stream whose prompt was blocked', async () => {
      const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } };
      gemini.respondEvents([JSON.stringify(blocked)]);
      const path = '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse';
      const { text } = await send(path, QUESTION, { 'x-gw-provider': '@gemini' });
      expect(text).toBe(`data: ${JSON.stringify(blocked)}\n\n`);
    });

    it('take a key from the query, which neither the provider nor the log gets', async () => {
      gemini.respondJson(said('Sunny', { finishReason: 'STOP' }));
      const path = `/v1beta/models/gemini-2.5-pro:generateContent?key=${gateway.apiKey}&x=1`;
      const { status } = await send(path, QUESTION, { 'x-gw-provider': '@gemini' }, null);
      expect(status).toBe(200);
      expect(gemini.lastRequest.url).toBe('/v1/models/gemini-2.5-pro:generateContent?x=1');
      expect(JSON.stringify(await gateway.records())).not.toContain(gateway.apiKey);
    });

    it('get the provider’s own error, and the gateway’s errors in Google’s shape', async () => {
      const error = { error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } };
      gemini.respond({ status: 429, body: error });
      const path = '/v1beta/models/gemini-2.5-pro:generateContent';
      const refused = await send(path, QUESTION, { 'x-gw-provider': '@gemini' });
      expect([refused.status, parsed(refused)]).toEqual([429, error]);
      const unknown = await send(path, QUESTION, { 'x-goog-api-key': 'wrong' });
      expect([unknown.status, parsed(unknown)]).toMatchObject([
        401,
        { error: { code: 401, status: 'UNAUTHENTICATED' } },
      ]);
      const twoModels = await send(
        path,
        { ...QUESTION, model: 'models/other' },
        { 'x-gw-provider': '@gemini' },
      );
      expect([twoModels.status, parsed(twoModels)]).toMatchObject([
        400,
        { error: { status: 'INVALID_ARGUMENT', param: 'model' } },
      ]);
    });

    it('count tokens and list models', async () => {
      gemini.respondJson({ totalTokens: 7 });
      const headers = { 'x-gw-provider': '@gemini' };
      const counted = await send('/v1beta/models/gemini-2.5-pro:countTokens', QUESTION, headers);
      expect(parsed(counted)).toEqual({ totalTokens: 7 });
      gemini.respondJson({ models: [{ name: 'models/gemini-2.5-pro' }] });
      const listed = await send('/v1beta/models', undefined, headers);
      expect(parsed(listed)).toEqual({ models: [{ name: 'models/gemini-2.5-pro' }] });
      expect(gemini.lastRequest.url).toBe('/v1/models');
    });
  });

  describe('at providers of other dialects', () => {
    it('get function calls from a provider of chat completions', async () => {
      chat.respondJson({
        id: 'c',
        created: 1,
        model: 'llama',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [
                {
                  id: 'call_1',
                  type: 'function',
                  function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
                },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      });
      const response = await send('/v1beta/models/@groq/llama:generateContent', {
        ...QUESTION,
        tools: TOOLS,
      });
      expect(response.headers.get('x-gw-translation')).toBe('gemini>openai-chat');
      expect(parsed(response)).toMatchObject({
        candidates: [
          {
            content: {
              role: 'model',
              parts: [{ functionCall: { id: 'call_1', name: 'get_weather', args: { city: 'Paris' } } }],
            },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 },
      });
      expect(sent(chat)).toMatchObject({
        model: 'llama',
        messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
        tools: [{ type: 'function', function: { name: 'get_weather' } }],
      });
    });

    it('stream from chat completions as events and as a list', async () => {
      const path = '/v1beta/models/@groq%2Fllama:streamGenerateContent';
      chat.respondEvents([
        chatChunk({ role: 'assistant', content: 'Sun' }),
        chatChunk({ content: 'ny' }, 'stop'),
        '[DONE]',
      ]);
      const textOf = (items: readonly unknown[]): string =>
        (items as { candidates?: { content?: { parts?: { text?: string }[] } }[] }[])
          .flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content?.parts ?? []))
          .map(({ text = '' }) => text)
          .join('');
      const asList = await send(path, QUESTION);
      expect(textOf(parsed(asList) as unknown[])).toBe('Sunny');
      const asEvents = await send(`${path}?alt=sse`, QUESTION);
      const events = asEvents.text
        .split(/\r?\n\r?\n/)
        .filter((event) => event.startsWith('data: '))
        .map((event) => JSON.parse(event.slice(6)) as unknown);
      expect(textOf(events)).toBe('Sunny');
      expect(events.at(-1)).toMatchObject({
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3 },
      });
    });

    it('reach Anthropic, whose count of tokens they get too, and whose errors are Google’s', async () => {
      claude.respondJson({
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'Sunny' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 9, output_tokens: 3 },
      });
      const path = '/v1beta/models/@claude%2Fclaude-sonnet-4-5';
      expect(parsed(await send(`${path}:generateContent`, QUESTION))).toMatchObject({
        candidates: [{ content: { parts: [{ text: 'Sunny' }] }, finishReason: 'STOP' }],
      });
      claude.respondJson({ input_tokens: 11 });
      expect(parsed(await send(`${path}:countTokens`, QUESTION))).toMatchObject({ totalTokens: 11 });
      claude.respond({
        status: 529,
        body: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
      });
      const failed = await send(`${path}:generateContent`, QUESTION);
      expect(parsed(failed)).toMatchObject({ error: { message: 'busy', status: 'UNAVAILABLE' } });
    });
  });

  describe('under guardrails', () => {
    const deny = (stage: 'input' | 'output', words: readonly string[]): Record<string, string> => ({
      'x-gw-config': JSON.stringify({
        provider: '@gemini',
        [`${stage}_guardrails`]: [{ deny: true, contains: { words, operator: 'none', scope: ['all'] } }],
      }),
    });

    it.each([
      ['a text', { contents: [{ parts: [{ text: 'a secret' }] }] }],
      ['a text in snake case', { system_instruction: { parts: [{ text: 'a secret' }] }, ...QUESTION }],
      [
        'a result of a function',
        { contents: [{ parts: [{ functionResponse: { name: 'f', response: { a: 'a secret' } } }] }] },
      ],
    ])('are refused for %s', async (_name, body) => {
      const response = await send(
        '/v1beta/models/gemini-2.5-pro:generateContent',
        body,
        deny('input', ['secret']),
      );
      expect(response.status).toBe(446);
      expect(gemini.requests).toHaveLength(0);
    });

    it.each([
      ['a function', { functionDeclarations: [{ name: 'delete_account' }] }],
      ['a function in snake case', { function_declarations: [{ name: 'delete_account' }] }],
      ['a tool of Google', { googleSearch: {} }],
      ['a tool of Google in snake case', { google_search: {} }],
    ])('are refused for %s that is blocked', async (_name, tool) => {
      const rules = { tools: { blockedFunctionNames: ['delete_account'], blockedTypes: ['googleSearch'] } };
      const config = JSON.stringify({
        provider: '@gemini',
        input_guardrails: [{ deny: true, 'default.requestParametersCheck': rules }],
      });
      const path = '/v1beta/models/gemini-2.5-pro:generateContent';
      const { status } = await send(path, { ...QUESTION, tools: [tool] }, { 'x-gw-config': config });
      expect(status).toBe(446);
    });

    it.each([
      ['the model', { values: { model: { blockedValues: ['gemini-2.5-pro'] } } }],
      ['a setting', { blockedKeys: ['temperature'] }],
    ])('are refused for %s that is blocked', async (_name, params) => {
      const config = JSON.stringify({
        provider: '@gemini',
        input_guardrails: [{ deny: true, 'default.requestParametersCheck': { params } }],
      });
      const body = { ...QUESTION, generationConfig: { temperature: 1 } };
      const path = '/v1beta/models/gemini-2.5-pro:generateContent';
      expect((await send(path, body, { 'x-gw-config': config })).status).toBe(446);
    });

    it('get the prefix of a guardrail in the system instruction and in the last content', async () => {
      gemini.respondJson(said('Sunny', { finishReason: 'STOP' }));
      const config = JSON.stringify({
        provider: '@gemini',
        input_guardrails: [
          { 'default.addPrefix': { prefix: 'Be brief.', applyToRole: 'system' } },
          { 'default.addPrefix': { prefix: 'Now: ' } },
        ],
      });
      await send('/v1beta/models/gemini-2.5-pro:generateContent', QUESTION, { 'x-gw-config': config });
      expect(sent(gemini)).toEqual({
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [{ role: 'user', parts: [{ text: 'Now: ' }, { text: 'What is the weather in Paris?' }] }],
      });
    });

    it.each([
      ['text in two events', [said('a sec'), said('ret', { finishReason: 'STOP' })]],
      [
        'the arguments of a call',
        [
          {
            candidates: [
              {
                index: 0,
                content: { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 'a secret' } } }] },
                finishReason: 'STOP',
              },
            ],
          },
        ],
      ],
    ])('never stream what is denied: %s', async (_name, events) => {
      gemini.respondEvents(events.map((event) => JSON.stringify(event)));
      const path = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';
      for (const query of ['?alt=sse', '']) {
        const { text } = await send(path + query, QUESTION, deny('output', ['secret']));
        expect(text).not.toContain('ret');
        expect(text).toContain('hook_results');
      }
    });

    it('stream what passes whole, calls of functions included', async () => {
      const call = { functionCall: { name: 'f', args: { city: 'Paris' } } };
      const events = [
        said('Sunny in '),
        said('Paris'),
        {
          candidates: [{ index: 0, content: { role: 'model', parts: [call] }, finishReason: 'STOP' }],
          usageMetadata: USAGE,
        },
      ];
      gemini.respondEvents(events.map((event) => JSON.stringify(event)));
      const path = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';
      const received = parsed(await send(path, QUESTION, deny('output', ['secret']))) as {
        candidates: { content?: { parts?: { text?: string; functionCall?: object }[] } }[];
      }[];
      const parts = received.flatMap(({ candidates }) =>
        candidates.flatMap(({ content }) => content?.parts ?? []),
      );
      expect(parts.map(({ text = '' }) => text).join('')).toBe('Sunny in Paris');
      expect(parts.filter(({ functionCall }) => functionCall !== undefined)).toEqual([call]);
    });
  });
});
