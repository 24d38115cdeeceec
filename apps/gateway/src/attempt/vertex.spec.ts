import Anthropic from '@anthropic-ai/sdk';
import { STUB_IDENTITY, StubProvider, StubTokenServices, type StubResponse } from '@gw/testing';
import OpenAI from 'openai';
import { GatewayHarness } from '../spec-support/harness';

const QUESTION = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const GEMINI = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Sunny' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 2, totalTokenCount: 11 },
  modelVersion: 'gemini-2.5-flash',
};
const CLAUDE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'Sunny' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 20, output_tokens: 7 },
};
const EVENTS = [
  { type: 'message_start', message: { ...CLAUDE, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Sunny' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

describe('Google Vertex AI', () => {
  let services: StubTokenServices;
  let stub: StubProvider;
  let gateway: GatewayHarness;

  beforeEach(async () => {
    services = await StubTokenServices.start();
    stub = await StubProvider.start();
    gateway = await GatewayHarness.start(services.settings);
    add('vertex', {
      vertex_auth_type: 'serviceAccount',
      vertex_service_account_json: JSON.stringify(STUB_IDENTITY.keyFile),
    });
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), services.stop()]);
  });

  const add = (slug: string, configurations: object): void =>
    gateway.addProvider(slug, 'vertex-ai', null, {
      sealedCredential: null,
      configurations: { custom_host: stub.origin, vertex_region: 'europe-west4', ...configurations },
    });
  /** Responds as Vertex AI does: only to a token that its service has issued. */
  const respond = (response: StubResponse): void =>
    stub.respond(({ headers }) =>
      headers['authorization'] === 'Bearer google-token-1' ? response : { status: 401, body: {} },
    );
  const sent = (): unknown => JSON.parse(stub.lastRequest.body.toString());
  const headers = { 'x-gw-provider': '@vertex' };
  const openai = (): OpenAI =>
    new OpenAI({ apiKey: gateway.apiKey, baseURL: gateway.baseUrl, maxRetries: 0, defaultHeaders: headers });
  const anthropic = (): Anthropic =>
    new Anthropic({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl.replace(/\/v1$/, ''),
      maxRetries: 0,
      defaultHeaders: { ...headers, 'x-gw-api-key': gateway.apiKey },
    });

  it('gets chat completions as Gemini’s own calls, with a token of the service account', async () => {
    respond({ body: GEMINI });
    const { choices } = await openai().chat.completions.create({
      model: 'gemini-2.5-flash',
      messages: QUESTION,
    });
    expect(choices[0]?.message.content).toBe('Sunny');
    expect(stub.lastRequest.url).toBe('/publishers/google/models/gemini-2.5-flash:generateContent');
    expect(await gateway.records()).toMatchObject([{ usage: { inputTokens: 9, outputTokens: 2 } }]);
  });

  it('streams Gemini to clients of the Messages API', async () => {
    respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: `data: ${JSON.stringify(GEMINI)}\r\n\r\n` }],
    });
    const message = await anthropic()
      .messages.stream({ model: 'gemini-2.5-flash', max_tokens: 100, messages: QUESTION })
      .finalMessage();
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Sunny' }], stop_reason: 'end_turn' });
    expect(stub.lastRequest.url).toBe(
      '/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    );
  });

  it('gets the calls of Gemini clients as they are', async () => {
    respond({ body: GEMINI });
    const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], labels: { team: 'a' } };
    const response = await fetch(
      `${gateway.baseUrl.replace(/\/v1$/, '')}/v1beta/models/gemini-2.5-flash:generateContent`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gw-api-key': gateway.apiKey, ...headers },
        body: JSON.stringify(body),
      },
    );
    expect(await response.json()).toEqual(GEMINI);
    expect(sent()).toEqual(body);
    expect(stub.lastRequest.url).toBe('/publishers/google/models/gemini-2.5-flash:generateContent');
  });

  it('gets embeddings by predict', async () => {
    respond({ body: { predictions: [{ embeddings: { values: [0.5], statistics: { token_count: 3 } } }] } });
    const { data } = await openai().embeddings.create({
      model: 'text-embedding-005',
      input: 'Hi',
      encoding_format: 'float',
    });
    expect(data[0]?.embedding).toEqual([0.5]);
    expect(stub.lastRequest.url).toBe('/publishers/google/models/text-embedding-005:predict');
    expect(await gateway.records()).toMatchObject([{ usage: { inputTokens: 3 } }]);
  });

  it('reads many embeddings, whose numbers have more digits than a double needs', async () => {
    const values = Array.from({ length: 768 }, () => '0.0058424929156899452').join(',');
    const prediction = `{"embeddings":{"values":[${values}],"statistics":{"token_count":3}}}`;
    const predictions = Array.from({ length: 250 }, () => prediction).join(',');
    respond({ headers: { 'content-type': 'application/json' }, body: `{"predictions":[${predictions}]}` });
    const { data } = await openai().embeddings.create({
      model: 'text-embedding-005',
      input: Array.from({ length: 250 }, () => 'Hi'),
    });
    expect(data).toHaveLength(250);
    expect(data[0]?.embedding[0]).toBeCloseTo(0.005_842_5);
  });

  it('gets images of Imagen, and reports why there are none', async () => {
    respond({ body: { predictions: [{ bytesBase64Encoded: 'aW1hZ2U=', mimeType: 'image/png' }] } });
    const image = { model: 'imagen-4.0-generate-001', prompt: 'A cat', size: '1024x1024' } as const;
    const { data } = await openai().images.generate(image);
    expect(data?.[0]?.b64_json).toBe('aW1hZ2U=');
    expect(stub.lastRequest.url).toBe('/publishers/google/models/imagen-4.0-generate-001:predict');
    respond({ body: { predictions: [{ raiFilteredReason: 'The prompt was blocked.' }] } });
    await expect(openai().images.generate(image)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('The prompt was blocked.') as unknown,
    });
  });

  describe('Claude', () => {
    const MODEL = 'claude-sonnet-4-5@20250929';

    it('gets bodies of the Messages API, with the version in the body', async () => {
      respond({ body: CLAUDE });
      const message = await anthropic().messages.create({
        model: MODEL,
        max_tokens: 100,
        messages: QUESTION,
      });
      expect(message).toMatchObject({
        content: [{ type: 'text', text: 'Sunny' }],
        usage: { output_tokens: 7 },
      });
      expect(stub.lastRequest.url).toBe(
        '/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict',
      );
      expect(sent()).toEqual({ anthropic_version: 'vertex-2023-10-16', max_tokens: 100, messages: QUESTION });
      expect(stub.lastRequest.headers['anthropic-version']).toBeUndefined();
      expect(await gateway.records()).toMatchObject([{ usage: { inputTokens: 20, outputTokens: 7 } }]);
    });

    it('streams to clients of both dialects, and its usage is in the log', async () => {
      const text = EVENTS.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join('');
      respond({ headers: { 'content-type': 'text/event-stream' }, steps: [{ chunk: text }] });
      const message = await anthropic()
        .messages.stream({ model: MODEL, max_tokens: 100, messages: QUESTION })
        .finalMessage();
      expect(message.content).toEqual([{ type: 'text', text: 'Sunny' }]);
      expect(stub.lastRequest.url).toContain(':streamRawPredict');
      expect(sent()).toMatchObject({ stream: true });
      const stream = openai().chat.completions.stream({
        model: MODEL,
        messages: QUESTION,
        stream_options: { include_usage: true },
      });
      expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('Sunny');
      const records = await gateway.records();
      for (const record of records)
        expect(record).toMatchObject({ outcome: 'ok', usage: { inputTokens: 20, outputTokens: 7 } });
    });

    it('counts tokens with the model in the body', async () => {
      respond({ body: { input_tokens: 12 } });
      const counted = await anthropic().messages.countTokens({ model: MODEL, messages: QUESTION });
      expect(counted.input_tokens).toBe(12);
      expect(stub.lastRequest.url).toBe('/publishers/anthropic/models/count-tokens:rawPredict');
      expect(sent()).toMatchObject({ model: MODEL });
    });
  });

  it('gets calls of open models at its chat completions', async () => {
    respond({
      body: {
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Sunny' }, finish_reason: 'stop' }],
      },
    });
    const response = await openai().responses.create({ model: 'meta/llama-4-maverick-maas', input: 'Hi' });
    expect(response.output_text).toBe('Sunny');
    expect(stub.lastRequest.url).toBe('/endpoints/openapi/chat/completions');
    expect(sent()).toMatchObject({ model: 'meta/llama-4-maverick-maas' });
  });

  it('names a setting that would choose another host', async () => {
    add('odd', { custom_host: undefined, vertex_region: 'evil.example/', vertex_project_id: 'p' });
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@odd',
      },
      body: JSON.stringify({ model: 'gemini-2.5-flash', messages: QUESTION }),
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('vertex_region');
  });
});
