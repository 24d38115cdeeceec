import Anthropic from '@anthropic-ai/sdk';
import { awsFrame, isAwsSigned, StubProvider, type RecordedRequest } from '@gw/testing';
import OpenAI from 'openai';
import { GatewayHarness } from '../spec-support/harness';

const KEYS = {
  aws_region: 'eu-central-1',
  aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  aws_secret_access_key: 'a-secret',
  aws_session_token: 'a-session',
};
const KNOWN = { AKIAIOSFODNN7EXAMPLE: { secret: 'a-secret', token: 'a-session' } };
const MODEL = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const QUESTION = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const USAGE = {
  inputTokens: 20,
  outputTokens: 7,
  totalTokens: 32,
  cacheReadInputTokens: 5,
  cacheWriteInputTokens: 0,
};
const FRAMES = { 'content-type': 'application/vnd.amazon.eventstream' };

const event = (name: string, payload: object): Buffer =>
  awsFrame(
    { ':message-type': 'event', ':event-type': name, ':content-type': 'application/json' },
    Buffer.from(JSON.stringify(payload)),
  );
const TEXT = [
  event('messageStart', { role: 'assistant' }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Sun' } }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'ny' } }),
];
const END = [
  event('contentBlockStop', { contentBlockIndex: 0 }),
  event('messageStop', { stopReason: 'end_turn' }),
  event('metadata', { usage: USAGE, metrics: { latencyMs: 1 } }),
];

describe('Amazon Bedrock', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    const configurations = { custom_host: stub.origin, ...KEYS };
    gateway.addProvider('aws', 'bedrock', stub.origin, { configurations });
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const anthropic = (): Anthropic =>
    new Anthropic({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl.replace(/\/v1$/, ''),
      maxRetries: 0,
      defaultHeaders: { 'x-gw-api-key': gateway.apiKey, 'x-gw-provider': '@aws' },
    });
  const openai = (provider = '@aws'): OpenAI =>
    new OpenAI({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl,
      maxRetries: 0,
      defaultHeaders: { 'x-gw-provider': provider },
    });
  /** Responds as Bedrock does: only to a request with a valid signature. */
  const respondSigned = (response: object): void => {
    stub.respond((request: RecordedRequest) =>
      isAwsSigned(request, 'bedrock', KNOWN)
        ? response
        : { status: 403, body: { message: 'The request signature does not match.' } },
    );
  };

  it('gets signed requests of clients of chat completions, tools included', async () => {
    respondSigned({
      body: {
        output: {
          message: {
            role: 'assistant',
            content: [{ toolUse: { toolUseId: 'tooluse_1', name: 'get_weather', input: { city: 'Paris' } } }],
          },
        },
        stopReason: 'tool_use',
        usage: USAGE,
      },
    });
    const { data, response } = await openai()
      .chat.completions.create({
        model: MODEL,
        messages: QUESTION,
        tools: [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }],
      })
      .withResponse();
    expect(response.headers.get('x-gw-translation')).toBe('openai-chat>bedrock-converse');
    expect(data.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [{ id: 'tooluse_1', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }],
      },
    });
    expect(stub.lastRequest.url).toBe(`/model/${encodeURIComponent(MODEL)}/converse`);
    const [record] = await gateway.records();
    expect(record).toMatchObject({
      outcome: 'ok',
      usage: { inputTokens: 25, outputTokens: 7, cacheReadTokens: 5 },
    });
  });

  it('streams frames as events of the client’s dialect, and its input includes cached tokens in the log', async () => {
    respondSigned({ headers: FRAMES, steps: [...TEXT, ...END].map((chunk) => ({ chunk })) });
    const message = await anthropic()
      .messages.stream({ model: 'amazon.nova-pro-v1:0', max_tokens: 100, messages: QUESTION })
      .finalMessage();
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'Sunny' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 20, cache_read_input_tokens: 5, output_tokens: 7 },
    });
    expect(stub.lastRequest.url).toBe('/model/amazon.nova-pro-v1%3A0/converse-stream');
    const [record] = await gateway.records();
    expect(record).toMatchObject({
      streamed: true,
      outcome: 'ok',
      usage: { inputTokens: 25, outputTokens: 7, cacheReadTokens: 5 },
    });
  });

  it.each([
    ['is cut in a frame', [...TEXT, END[0] ?? Buffer.alloc(0), (END[1] ?? Buffer.alloc(0)).subarray(0, 20)]],
    [
      'ends with an exception',
      [
        ...TEXT,
        awsFrame(
          { ':message-type': 'exception', ':exception-type': 'throttlingException' },
          Buffer.from('{"message":"Too many requests"}'),
        ),
      ],
    ],
  ])('never completes a stream that %s', async (_name, chunks) => {
    respondSigned({ headers: FRAMES, steps: chunks.map((chunk) => ({ chunk })) });
    const stream = await openai().chat.completions.create({ model: MODEL, messages: QUESTION, stream: true });
    const read = async (): Promise<string> => {
      let text = '';
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
      return text;
    };
    await expect(read()).rejects.toThrow();
    const [record] = await gateway.records();
    expect(record).toMatchObject({ outcome: 'interrupted' });
  });

  it('gets the next attempt when a stream begins with an exception', async () => {
    const failing = awsFrame(
      { ':message-type': 'exception', ':exception-type': 'throttlingException' },
      Buffer.from('{"message":"Too many requests"}'),
    );
    let calls = 0;
    stub.respond(() => {
      calls += 1;
      return {
        headers: FRAMES,
        steps: (calls === 1 ? [failing] : [...TEXT, ...END]).map((chunk) => ({ chunk })),
      };
    });
    const config = JSON.stringify({
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@aws', on_stream_failure: 'restart' }, { provider: '@aws' }],
    });
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': gateway.apiKey, 'x-gw-config': config },
      body: JSON.stringify({ model: MODEL, messages: QUESTION, stream: true }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(await response.text()).toContain('"content":"Sun"');
    expect(calls).toBe(2);
  });

  describe('Claude, for clients of the Messages API', () => {
    const start = {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        usage: { input_tokens: 20, cache_read_input_tokens: 5, output_tokens: 1 },
      },
    };
    const events = [
      start,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Sunny' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ];
    const chunk = (data: object): Buffer =>
      event('chunk', { bytes: Buffer.from(JSON.stringify(data)).toString('base64') });

    it('gets their bodies in its own form, with the beta flags of their header', async () => {
      respondSigned({ body: { ...start.message, content: [{ type: 'text', text: 'Sunny' }] } });
      const message = await anthropic().messages.create(
        { model: MODEL, max_tokens: 100, stop_sequences: ['x'], messages: QUESTION },
        { headers: { 'anthropic-beta': 'context-1m-2025-08-07' } },
      );
      expect(message.content).toEqual([{ type: 'text', text: 'Sunny' }]);
      expect(stub.lastRequest.url).toBe(`/model/${encodeURIComponent(MODEL)}/invoke`);
      expect(JSON.parse(stub.lastRequest.body.toString())).toEqual({
        anthropic_version: 'bedrock-2023-05-31',
        anthropic_beta: ['context-1m-2025-08-07'],
        max_tokens: 100,
        stop_sequences: ['x'],
        messages: QUESTION,
      });
      expect(await gateway.records()).toMatchObject([{ usage: { inputTokens: 25, cacheReadTokens: 5 } }]);
    });

    it('streams its own events, whose usage is in the log', async () => {
      respondSigned({ headers: FRAMES, steps: events.map((data) => ({ chunk: chunk(data) })) });
      const message = await anthropic()
        .messages.stream({ model: MODEL, max_tokens: 100, messages: QUESTION })
        .finalMessage();
      expect(message).toMatchObject({ content: [{ text: 'Sunny' }], usage: { output_tokens: 7 } });
      expect(stub.lastRequest.url).toBe(`/model/${encodeURIComponent(MODEL)}/invoke-with-response-stream`);
      expect(await gateway.records()).toMatchObject([
        { streamed: true, outcome: 'ok', usage: { inputTokens: 25, outputTokens: 7, cacheReadTokens: 5 } },
      ]);
    });

    it('counts their tokens', async () => {
      respondSigned({ body: { inputTokens: 12 } });
      const counted = await anthropic().messages.countTokens({ model: MODEL, messages: QUESTION });
      expect(counted.input_tokens).toBe(12);
      expect(stub.lastRequest.url).toContain('/count-tokens');
    });
  });

  it('gets embeddings and images by InvokeModel', async () => {
    respondSigned({ body: { embedding: [0.5], inputTextTokenCount: 3 } });
    const { data } = await openai().embeddings.create({
      model: 'amazon.titan-embed-text-v2:0',
      input: 'Hi',
      encoding_format: 'float',
    });
    expect(data[0]?.embedding).toEqual([0.5]);
    expect(stub.lastRequest.url).toBe('/model/amazon.titan-embed-text-v2%3A0/invoke');
    respondSigned({ body: { images: ['aW1hZ2U='] } });
    const images = await openai().images.generate({ model: 'amazon.nova-canvas-v1:0', prompt: 'A cat' });
    expect(images.data?.[0]?.b64_json).toBe('aW1hZ2U=');
    expect(stub.lastRequest.url).toBe('/model/amazon.nova-canvas-v1%3A0/invoke');
    expect(await gateway.records()).toMatchObject([{ usage: { inputTokens: 3 } }, { outcome: 'ok' }]);
    await expect(openai().embeddings.create({ model: MODEL, input: 'Hi' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('gets errors in the client’s dialect', async () => {
    respondSigned({
      status: 429,
      headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal/' },
      body: { message: 'Too many tokens' },
    });
    await expect(
      anthropic().messages.create({ model: MODEL, max_tokens: 10, messages: QUESTION }),
    ).rejects.toMatchObject({
      status: 429,
      error: { type: 'error', error: { type: 'rate_limit_error', message: 'Too many tokens' } },
    });
  });

  it('gets a Bedrock API key as a bearer token, without a signature', async () => {
    const configurations = { custom_host: stub.origin, aws_region: 'us-east-1', aws_auth_type: 'apiKey' };
    gateway.addProvider('token', 'bedrock', stub.origin, { configurations });
    stub.respondJson({
      output: { message: { role: 'assistant', content: [{ text: 'Sunny' }] } },
      stopReason: 'end_turn',
      usage: USAGE,
    });
    const response = await openai('@token').responses.create({ model: MODEL, input: 'Hi' });
    expect(response.output_text).toBe('Sunny');
    expect(stub.lastRequest.headers).toMatchObject({ authorization: 'Bearer sk-token' });
    expect(stub.lastRequest.headers['x-amz-date']).toBeUndefined();
  });

  it('never mixes a session token of the process’s environment into saved keys', async () => {
    const { aws_session_token: _token, ...configurations } = { custom_host: stub.origin, ...KEYS };
    gateway.addProvider('static', 'bedrock', stub.origin, { configurations });
    process.env['AWS_SESSION_TOKEN'] = 'of-the-process';
    try {
      stub.respond({ status: 400, body: { message: 'any' } });
      await openai('@static')
        .chat.completions.create({ model: MODEL, messages: QUESTION })
        .catch(() => undefined);
    } finally {
      delete process.env['AWS_SESSION_TOKEN'];
    }
    const { headers } = stub.lastRequest;
    expect(String(headers['authorization'])).toContain('SignedHeaders=content-type;host;x-amz-date,');
    expect(headers['x-amz-security-token']).toBeUndefined();
  });

  it('names the setting that is missing', async () => {
    const configurations = { custom_host: stub.origin, aws_region: 'us-east-1', aws_auth_type: 'accessKey' };
    gateway.addProvider('bare', 'bedrock', stub.origin, { configurations });
    const call = openai('@bare').chat.completions.create({ model: MODEL, messages: QUESTION });
    await expect(call).rejects.toMatchObject({ status: 400, param: 'aws_access_key_id' });
    expect(stub.requests).toHaveLength(0);
  });
});
