import Anthropic from '@anthropic-ai/sdk';
import { StubProvider } from '@gw/testing';
import { gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import { GatewayHarness } from '../spec-support/harness';

const QUESTION = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const CITY = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };

const chat = (message: object, finish: string): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'gpt-4o',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
  usage: {
    prompt_tokens: 20,
    completion_tokens: 7,
    total_tokens: 27,
    prompt_tokens_details: { cached_tokens: 5 },
  },
});
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
};
const chunks = (...deltas: readonly object[]): string[] =>
  [
    ...deltas.map((delta) => ({
      id: 'chatcmpl-1',
      created: 1,
      model: 'gpt-4o',
      choices: [{ index: 0, delta, finish_reason: null }],
    })),
    {
      id: 'chatcmpl-1',
      created: 1,
      model: 'gpt-4o',
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    },
    {
      id: 'chatcmpl-1',
      created: 1,
      model: 'gpt-4o',
      choices: [],
      usage: { prompt_tokens: 20, completion_tokens: 7 },
    },
  ].map((chunk) => JSON.stringify(chunk));

describe('clients of one dialect at providers of another', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let claude: StubProvider;
  let gemini: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, claude, gemini] = await Promise.all([
      StubProvider.start(),
      StubProvider.start(),
      StubProvider.start(),
    ]);
    gateway.addProvider('groq', 'groq', stub.origin);
    gateway.addProvider('mistral', 'mistral-ai', stub.origin);
    gateway.addProvider('claude', 'anthropic', claude.origin);
    gateway.addProvider('gemini', 'google', gemini.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), claude.stop(), gemini.stop()]);
  });

  const sent = (provider: StubProvider): unknown =>
    JSON.parse(provider.requests.at(-1)?.body.toString() ?? 'null');
  const anthropic = (provider: string): Anthropic =>
    new Anthropic({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl.replace(/\/v1$/, ''),
      maxRetries: 0,
      defaultHeaders: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': provider },
    });
  const openai = (provider: string): OpenAI =>
    new OpenAI({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl,
      maxRetries: 0,
      defaultHeaders: { 'x-gw-provider': provider },
    });

  describe('Anthropic SDK at a provider of chat completions', () => {
    it('gets a message with tool calls, and the provider gets a chat completion', async () => {
      stub.respondJson(chat({ tool_calls: [CALL] }, 'tool_calls'));
      const { data, response } = await anthropic('@groq')
        .messages.create({
          model: 'llama-3.3-70b',
          max_tokens: 100,
          system: 'Be brief.',
          messages: QUESTION,
          tools: [{ name: 'get_weather', input_schema: CITY }],
        })
        .withResponse();
      expect(data).toMatchObject({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Paris' } }],
        stop_reason: 'tool_use',
        usage: { input_tokens: 15, cache_read_input_tokens: 5, output_tokens: 7 },
      });
      expect(response.headers.get('x-gw-translation')).toBe('anthropic-messages>openai-chat');
      expect(stub.requests.at(-1)?.url).toBe('/v1/chat/completions');
      expect(sent(stub)).toEqual({
        model: 'llama-3.3-70b',
        max_completion_tokens: 100,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'What is the weather in Paris?' },
        ],
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: CITY } }],
      });
    });

    it.each([6_000, 30_000])(
      'responds with 400 to a schema of %d levels, not with a fault',
      async (levels) => {
        const schema = '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
        const response = await fetch(`${gateway.baseUrl}/messages`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-gw-api-key': gateway.apiKey,
            'x-gw-provider': '@groq',
          },
          body: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}],"tools":[{"name":"f","input_schema":${schema}}]}`,
        });
        expect([response.status, await response.json()]).toMatchObject([
          400,
          {
            error: {
              type: 'invalid_request_error',
              message: expect.stringContaining('nested too deep') as unknown,
            },
          },
        ]);
      },
    );

    it('streams text as message events, with the usage of the provider in the log', async () => {
      stub.respondEvents([
        ...chunks({ role: 'assistant', content: '' }, { content: 'Sun' }, { content: 'ny' }),
        '[DONE]',
      ]);
      const message = await anthropic('@groq')
        .messages.stream({ model: 'llama-3.3-70b', max_tokens: 100, messages: QUESTION })
        .finalMessage();
      expect(message).toMatchObject({
        content: [{ type: 'text', text: 'Sunny' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 20, output_tokens: 7 },
      });
      const [record] = await gateway.records();
      expect(record).toMatchObject({ route: 'messages', usage: { inputTokens: 20, outputTokens: 7 } });
    });

    it('gets the error of the provider in its own shape', async () => {
      stub.respond({
        status: 429,
        body: { error: { message: 'slow down', type: 'requests', code: 'rate_limit_exceeded' } },
      });
      const failed = anthropic('@groq').messages.create({ model: 'm', max_tokens: 10, messages: QUESTION });
      await expect(failed).rejects.toMatchObject({
        status: 429,
        error: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
      });
    });

    it('responds with 400, before any call, for a tool that the provider cannot express', async () => {
      const failed = anthropic('@groq').messages.create({
        model: 'm',
        max_tokens: 10,
        messages: QUESTION,
        tools: [{ type: 'bash_20250124', name: 'bash' }],
      });
      await expect(failed).rejects.toMatchObject({
        status: 400,
        error: { error: { gateway_type: 'unsupported_by_provider', param: 'tools.0' } },
      });
      expect(stub.requests).toHaveLength(0);
    });
  });

  describe('what a provider compresses although it was not requested to', () => {
    const send = (path: string, body: object): Promise<Response> =>
      fetch(`${gateway.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': '@groq',
        },
        body: JSON.stringify({ model: 'm', max_tokens: 10, messages: QUESTION, ...body }),
      });
    const gzipped = (status: number, body: object) => ({
      status,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(body)),
    });

    it.each([
      [200, chat({ content: 'Sunny' }, 'stop'), { content: [{ text: 'Sunny' }] }],
      [400, { error: { message: 'too long' } }, { error: { message: 'too long' } }],
    ])('is decoded before it is translated, with status %i', async (status, body, expected) => {
      stub.respond(gzipped(status, body));
      const response = await send('/messages', {});
      expect([response.status, response.headers.get('content-encoding')]).toEqual([status, null]);
      expect(await response.json()).toMatchObject(expected);
    });

    it('has no length of the provider’s body when the client’s is a stream', async () => {
      const events = [...chunks({ role: 'assistant', content: 'Sunny' }), '[DONE]'];
      const bytes = events.map((event) => `data: ${event}\n\n`).join('');
      stub.respond({
        headers: { 'content-type': 'text/event-stream', 'content-length': String(bytes.length) },
        body: bytes,
      });
      const response = await send('/messages', { stream: true });
      const text = await response.text();
      const length = response.headers.get('content-length') ?? String(Buffer.byteLength(text));
      expect(Number(length)).toBe(Buffer.byteLength(text));
      expect(length).not.toBe(String(bytes.length));
      expect(text).toContain('message_stop');
    });
  });

  describe('OpenAI SDK with responses', () => {
    it('gets a response from a provider of chat completions, with the loss of storage named', async () => {
      stub.respondJson(chat({ content: 'Sunny' }, 'stop'));
      const { data, response } = await openai('@mistral')
        .responses.create({ model: 'm', input: 'Hi' })
        .withResponse();
      expect(data).toMatchObject({
        object: 'response',
        status: 'completed',
        output_text: 'Sunny',
        usage: { input_tokens: 20 },
      });
      expect(response.headers.get('x-gw-translation')).toBe('openai-responses>mistral');
    });

    it('gets a response from Anthropic', async () => {
      claude.respondJson({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'Sunny' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 9, output_tokens: 3 },
      });
      const response = await openai('@claude').responses.create({ model: 'claude-sonnet-4-5', input: 'Hi' });
      expect(response).toMatchObject({
        status: 'completed',
        output_text: 'Sunny',
        usage: { total_tokens: 12 },
      });
      expect(claude.lastRequest.url).toBe('/v1/messages');
      expect(sent(claude)).toMatchObject({ max_tokens: 64_000, messages: [{ role: 'user' }] });
    });

    it('refuses to continue a stored response, and to read one, at a provider that stores none', async () => {
      const client = openai('@mistral');
      const continued = client.responses.create({ model: 'm', input: 'Hi', previous_response_id: 'resp_1' });
      await expect(continued).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
      await expect(client.responses.retrieve('resp_1')).rejects.toMatchObject({
        status: 400,
        type: 'route_unsupported',
      });
      expect(stub.requests).toHaveLength(0);
    });

    it('streams a response that the SDK accumulates', async () => {
      stub.respondEvents([
        ...chunks({ role: 'assistant', content: '' }, { content: 'Sun' }, { content: 'ny' }),
        '[DONE]',
      ]);
      const stream = openai('@mistral').responses.stream({ model: 'm', input: 'Hi' });
      await expect(stream.finalResponse()).resolves.toMatchObject({
        status: 'completed',
        output_text: 'Sunny',
      });
    });
  });

  describe('Anthropic SDK at Gemini', () => {
    const part = (text: string, more: object = {}): string =>
      JSON.stringify({
        candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
        modelVersion: 'gemini-2.5-pro',
        responseId: 'r1',
        usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5, thoughtsTokenCount: 2 },
      });

    it('reaches the path of the model, without the query of its own dialect', async () => {
      gemini.respondJson(JSON.parse(part('Sunny', { finishReason: 'STOP' })) as object);
      const message = await anthropic('@gemini').beta.messages.create({
        model: 'gemini-2.5-pro',
        max_tokens: 100,
        messages: QUESTION,
      });
      expect(message).toMatchObject({
        content: [{ type: 'text', text: 'Sunny' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 20, output_tokens: 7 },
      });
      expect(gemini.lastRequest.url).toBe('/v1/models/gemini-2.5-pro:generateContent');
      expect(sent(gemini)).toMatchObject({ generationConfig: { maxOutputTokens: 100 } });
    });

    it('streams, and logs the usage of the provider', async () => {
      gemini.respondEvents([part('Sun'), part('ny', { finishReason: 'STOP' })]);
      const message = await anthropic('@gemini')
        .messages.stream({ model: 'gemini-2.5-pro', max_tokens: 100, messages: QUESTION })
        .finalMessage();
      expect(message.content).toMatchObject([{ type: 'text', text: 'Sunny' }]);
      expect(gemini.lastRequest.url).toBe('/v1/models/gemini-2.5-pro:streamGenerateContent?alt=sse');
      const [record] = await gateway.records();
      expect(record).toMatchObject({
        route: 'messages',
        usage: { inputTokens: 20, outputTokens: 7, reasoningTokens: 2 },
      });
    });
  });
});
