import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { StubProvider } from '@gw/testing';

import {
  ANTHROPIC_COST,
  ANTHROPIC_MESSAGE,
  ANTHROPIC_OVERLOADED,
  CLAUDE,
  fakeAnthropic,
} from './spec-support/fake-anthropic';
import { fakeOpenAi, OPENAI_CHAT_COST, OPENAI_QUOTA_ERROR } from './spec-support/fake-openai';
import { withProduct } from './spec-support/workbench';

const MESSAGES = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const CITY = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const TOOLS = [{ type: 'function' as const, function: { name: 'get_weather', parameters: CITY } }];

const bench = withProduct();
let openAiStub: StubProvider;
let claudeStub: StubProvider;

beforeAll(async () => {
  openAiStub = await bench().stub();
  claudeStub = await bench().stub();
  await bench().provider({ slug: 'openai-prod', type: 'openai', stub: openAiStub });
  await bench().provider({ slug: 'claude', type: 'anthropic', stub: claudeStub });
});

beforeEach(() => {
  openAiStub.respond(fakeOpenAi);
  claudeStub.respond(fakeAnthropic);
});

/** Creates the SDK in its usual configuration: a base URL, a key, two headers. */
function openai(provider: string, trace: string, apiKey = bench().apiKey): OpenAI {
  const defaultHeaders = { 'x-gw-provider': provider, 'x-gw-trace-id': trace };
  return new OpenAI({ apiKey, baseURL: bench().baseUrl, maxRetries: 0, defaultHeaders });
}

/** Creates the SDK, which adds `/v1` itself. */
function anthropic(trace: string, apiKey = bench().apiKey): Anthropic {
  const baseURL = bench().baseUrl.replace(/\/v1$/, '');
  const defaultHeaders = { 'x-gw-provider': '@claude', 'x-gw-trace-id': trace };
  return new Anthropic({ apiKey, baseURL, maxRetries: 0, defaultHeaders });
}

async function textOf(stream: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<string> {
  let text = '';
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  return text;
}

describe.each([
  {
    provider: '@sandbox',
    chat: 'sandbox-small',
    other: 'sandbox-small',
    says: /^\[sandbox\]/,
    // 0.10 and 0.40 USD per million tokens.
    cost: (input: number, output: number) => 10 * input + 40 * output,
  },
  {
    provider: '@openai-prod',
    chat: 'gpt-4o',
    other: 'gpt-3.5-turbo-instruct',
    says: /^Hello!$/,
    cost: () => OPENAI_CHAT_COST,
  },
])('[SDK-01] the OpenAI SDK over $provider', ({ provider, chat, other, says, cost }) => {
  it('chats, and the log has its tokens and its exact cost', async () => {
    const trace = bench().trace('chat');
    const request = { model: chat, messages: MESSAGES };
    const { choices, usage } = await openai(provider, trace).chat.completions.create(request);
    expect(choices[0]?.message.content).toMatch(says);
    expect(await bench().logOf(trace)).toMatchObject({
      route: 'chat.completions',
      response_status_code: 200,
      outcome: 'ok',
      credential: provider.slice(1),
      streamed: false,
      req_units: usage?.prompt_tokens,
      res_units: usage?.completion_tokens,
      cost_exact: String(cost(usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0)),
      priced: 'priced',
    });
  });

  it('streams a chat to its end, and the log has the usage of the stream', async () => {
    const trace = bench().trace('stream');
    const stream = await openai(provider, trace).chat.completions.create({
      model: chat,
      messages: MESSAGES,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toMatch(says);
    expect(chunks.some(({ choices }) => choices[0]?.finish_reason === 'stop')).toBe(true);
    const usage = chunks.at(-1)?.usage;
    expect(usage?.completion_tokens).toBeGreaterThan(0);
    expect(await bench().logOf(trace)).toMatchObject({
      streamed: true,
      outcome: 'ok',
      req_units: usage?.prompt_tokens,
      res_units: usage?.completion_tokens,
      cost_exact: String(cost(usage?.prompt_tokens ?? 0, usage?.completion_tokens ?? 0)),
    });
  });

  it('embeds, lists models, moderates and completes', async () => {
    const traces = ['embeddings', 'models', 'moderations', 'completions'];
    const [embeddings, models, moderations, completions] = traces.map((name) => bench().trace(name));
    const client = (trace = ''): OpenAI => openai(provider, trace);
    const embedded = await client(embeddings).embeddings.create({
      model: provider === '@sandbox' ? 'sandbox-small' : 'text-embedding-3-small',
      input: 'text',
      encoding_format: 'float',
    });
    expect(embedded.data[0]?.embedding.length).toBeGreaterThan(0);
    const listed = [];
    for await (const model of client(models).models.list()) listed.push(model.id);
    expect(listed).toContain(chat);
    const moderated = await client(moderations).moderations.create({ input: 'a friendly text' });
    expect(moderated.results[0]?.flagged).toBe(false);
    const completed = await client(completions).completions.create({ model: other, prompt: 'Say hello' });
    expect(completed.choices[0]?.text).toMatch(says);
    for (const [trace = '', route] of [
      [embeddings, 'embeddings'],
      [models, 'models'],
      [moderations, 'moderations'],
      [completions, 'completions'],
    ]) {
      expect(await bench().logOf(trace)).toMatchObject({ route, response_status_code: 200, outcome: 'ok' });
    }
  });
});

describe('[SDK-01] OpenAI SDK errors', () => {
  it('are typed for a provider error, with its status, message and body', async () => {
    const trace = bench().trace('quota');
    openAiStub.respond(OPENAI_QUOTA_ERROR);
    const error: unknown = await openai('@openai-prod', trace)
      .chat.completions.create({ model: 'gpt-4o', messages: MESSAGES })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({
      message: '429 You exceeded your current quota.',
      error: { provider_error: OPENAI_QUOTA_ERROR.body },
    });
    expect(await bench().logOf(trace)).toMatchObject({
      response_status_code: 429,
      outcome: 'provider_error',
    });
  });

  it('are typed for a gateway error: an unknown key, an unknown sandbox model', async () => {
    const request = { model: 'gpt-none', messages: MESSAGES };
    const stranger = openai('@sandbox', 'unknown-key', 'x'.repeat(32)).chat.completions.create(request);
    await expect(stranger).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    const unknown = openai('@sandbox', 'unknown-model').chat.completions.create(request);
    await expect(unknown).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe('[SDK-01] OpenAI SDK over Anthropic', () => {
  it('calls tools with translated request and response, and logs tokens and exact cost', async () => {
    const trace = bench().trace('tools');
    const { choices } = await openai('@claude', trace).chat.completions.create({
      model: CLAUDE,
      messages: [{ role: 'system', content: 'Be brief.' }, ...MESSAGES],
      tools: TOOLS,
    });
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Looking.',
        tool_calls: [{ id: 'toolu_1', type: 'function', function: { name: 'get_weather' } }],
      },
    });
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(JSON.parse((call as OpenAI.ChatCompletionMessageFunctionToolCall).function.arguments)).toEqual({
      city: 'Paris',
    });
    expect(JSON.parse(claudeStub.lastRequest.body.toString())).toMatchObject({
      model: CLAUDE,
      system: [{ type: 'text', text: 'Be brief.' }],
      tools: [{ name: 'get_weather', input_schema: CITY }],
    });
    expect(claudeStub.lastRequest.headers).toMatchObject({ 'x-api-key': 'sk-claude' });
    expect(await bench().logOf(trace)).toMatchObject({
      provider: 'anthropic',
      req_units: 20,
      res_units: 15,
      cost_exact: String(ANTHROPIC_COST),
    });
  });

  it('streams text and tool calls', async () => {
    const trace = bench().trace('tool-stream');
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    const stream = await openai('@claude', trace).chat.completions.create({
      model: CLAUDE,
      messages: MESSAGES,
      tools: TOOLS,
      stream: true,
    });
    for await (const chunk of stream) chunks.push(chunk);
    const choices = chunks.flatMap((chunk) => chunk.choices);
    const calls = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe('Looking.');
    expect(calls[0]).toMatchObject({ index: 0, id: 'toolu_1', function: { name: 'get_weather' } });
    const written = calls.map((call) => call.function?.arguments ?? '').join('');
    expect(JSON.parse(written)).toEqual({ city: 'Paris' });
    expect(choices.at(-1)?.finish_reason).toBe('tool_calls');
    const expected = { streamed: true, req_units: 20, res_units: 15, cost_exact: String(ANTHROPIC_COST) };
    expect(await bench().logOf(trace)).toMatchObject(expected);
  });
});

describe('[SDK-01] the Anthropic SDK', () => {
  const request = { model: CLAUDE, max_tokens: 100, messages: MESSAGES };

  it('creates a message, and forwards request and response unchanged', async () => {
    const trace = bench().trace('message');
    expect(await anthropic(trace).messages.create(request)).toMatchObject(ANTHROPIC_MESSAGE);
    expect(JSON.parse(claudeStub.lastRequest.body.toString())).toEqual(request);
    const expected = { route: 'messages', req_units: 20, res_units: 15, cost_exact: String(ANTHROPIC_COST) };
    expect(await bench().logOf(trace)).toMatchObject(expected);
  });

  it('streams a message', async () => {
    const trace = bench().trace('message-stream');
    const message = await anthropic(trace).messages.stream(request).finalMessage();
    expect(message).toMatchObject(ANTHROPIC_MESSAGE);
    const expected = { streamed: true, req_units: 20, res_units: 15, cost_exact: String(ANTHROPIC_COST) };
    expect(await bench().logOf(trace)).toMatchObject(expected);
  });

  it('throws its own typed errors, in its own dialect', async () => {
    const trace = bench().trace('overloaded');
    claudeStub.respond(ANTHROPIC_OVERLOADED);
    const overloaded = anthropic(trace).messages.create(request);
    await expect(overloaded).rejects.toMatchObject({ status: 529, error: ANTHROPIC_OVERLOADED.body });
    await expect(overloaded).rejects.toBeInstanceOf(Anthropic.InternalServerError);
    const stranger = anthropic('stranger', 'x'.repeat(32)).messages.create(request);
    await expect(stranger).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    expect(await bench().logOf(trace)).toMatchObject({
      response_status_code: 529,
      outcome: 'provider_error',
    });
  });
});

describe('credential selection', () => {
  const client = (headers: Record<string, string>, apiKey: string): OpenAI =>
    new OpenAI({
      apiKey,
      baseURL: bench().baseUrl,
      maxRetries: 0,
      defaultHeaders: { 'x-gw-api-key': bench().apiKey, ...headers },
    });
  const ask = (headers: Record<string, string>, apiKey = 'unused'): Promise<string> =>
    client(headers, apiKey)
      .chat.completions.create({ model: 'gpt-4o', messages: MESSAGES, stream: true })
      .then(textOf);
  const credentialAtProvider = (): unknown => openAiStub.lastRequest.headers['authorization'];

  it('[AUT-01] uses the credential of a virtual key', async () => {
    const { data } = await bench().manage<{ data: { slug: string } }>('POST', '/virtual-keys', {
      body: {
        name: 'A virtual key',
        provider: 'openai',
        key: 'sk-virtual',
        custom_host: `${openAiStub.origin}/v1`,
      },
    });
    expect(await ask({ 'x-gw-virtual-key': data.slug })).toBe('Hello!');
    expect(credentialAtProvider()).toBe('Bearer sk-virtual');
  });

  it('[AUT-02] [AUT-04] uses the caller’s own provider key with a provider and a host', async () => {
    const headers = { 'x-gw-provider': 'openai', 'x-gw-custom-host': `${openAiStub.origin}/v1` };
    expect(await ask(headers, 'sk-of-the-caller')).toBe('Hello!');
    expect(credentialAtProvider()).toBe('Bearer sk-of-the-caller');
  });

  it('[AUT-03] uses the credential of a saved or inline config', async () => {
    const config = { strategy: { mode: 'single' }, targets: [{ provider: '@openai-prod' }] };
    for (const reference of [await bench().config(config), JSON.stringify(config)]) {
      openAiStub.requests.length = 0;
      expect(await ask({ 'x-gw-config': reference })).toBe('Hello!');
      expect(credentialAtProvider()).toBe('Bearer sk-openai-prod');
    }
  });

  it('uses the credential of a saved provider that its slug selects', async () => {
    openAiStub.requests.length = 0;
    expect(await ask({ 'x-gw-provider': '@openai-prod' })).toBe('Hello!');
    expect(credentialAtProvider()).toBe('Bearer sk-openai-prod');
  });
});
