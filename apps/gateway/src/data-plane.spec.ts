import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness, type LoggedRequest } from './spec-support/harness';

const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
};
const MODEL = 'claude-opus-4-8';
const chunk = (content: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-4o-2024-08-06',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
});
const ASK = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Hi' }] };

describe('data plane', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const openai = (headers: Record<string, string> = { 'x-gw-provider': '@main' }): OpenAI =>
    new OpenAI({ apiKey: gateway.apiKey, baseURL: gateway.baseUrl, maxRetries: 0, defaultHeaders: headers });
  const lastRecord = (): Promise<LoggedRequest> => eventually(async () => (await gateway.records()).at(-1));
  const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gw-api-key': gateway.apiKey, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('[SVC-01] authenticates, routes to the saved provider with its credential and returns the response', async () => {
    stub.respondJson(CHAT);
    const response = await openai().chat.completions.create(ASK);
    expect(response.choices[0]?.message.content).toBe('Hello!');
    expect(stub.lastRequest.url).toBe('/v1/chat/completions');
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-main');
    expect(JSON.parse(stub.lastRequest.body.toString())).toEqual(ASK);
  });

  it('logs tokens, cost in integers, the attempt and both bodies of a successful request', async () => {
    stub.respondJson(CHAT);
    await openai().chat.completions.create(ASK);
    const record = await lastRecord();
    expect(record).toMatchObject({
      status: 200,
      outcome: 'ok',
      provider: 'openai',
      credential: 'main',
      model: 'gpt-4o',
      responseModel: 'gpt-4o-2024-08-06',
      priced: 'priced',
      usage: { inputTokens: 9, outputTokens: 12 },
    });
    // 9 input tokens at 2.50 USD and 12 output tokens at 10 USD per million tokens, in units of
    // 1e-8 USD.
    expect(record.cost).toBe(9 * 250 + 12 * 1_000);
    expect(record.decision.attempts).toMatchObject([
      { target: 'config', status: 200, end: 'answered', retry: 0 },
    ]);
    expect(JSON.parse(String(record.requestBody))).toEqual(ASK);
    expect(JSON.parse(String(record.responseBody))).toEqual(CHAT);
  });

  it('forwards stream chunks as they arrive, byte for byte, and logs the usage of the stream', async () => {
    const usage = {
      ...chunk(''),
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
    };
    stub.respondEvents([chunk('Hel'), chunk('lo'), usage, '[DONE]']);
    const asking = { ...ASK, stream: true, stream_options: { include_usage: true } };
    const response = await post('/chat/completions', asking, { 'x-gw-provider': '@main' });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const text = await response.text();
    expect(text).toBe(
      [chunk('Hel'), chunk('lo'), usage].map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') +
        'data: [DONE]\n\n',
    );
    const record = await lastRecord();
    expect(record).toMatchObject({
      streamed: true,
      outcome: 'ok',
      usage: { inputTokens: 5, outputTokens: 3 },
    });
  });

  it('ends a stream that was cut off with an error event and without an end mark', async () => {
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: `data: ${JSON.stringify(chunk('Hel'))}\n\n` }, { waitMs: 20 }, { cut: 'reset' }],
    });
    const response = await post('/chat/completions', { ...ASK, stream: true }, { 'x-gw-provider': '@main' });
    const text = await response.text();
    expect(text).toContain('"type":"stream_interrupted"');
    expect(text).not.toContain('[DONE]');
    expect(await lastRecord()).toMatchObject({ outcome: 'interrupted', errorType: 'stream_interrupted' });
  });

  it('cancels the provider call when the client disconnects during a stream, and logs client_closed', async () => {
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: `data: ${JSON.stringify(chunk('Hel'))}\n\n` }, { hang: true }],
    });
    const stream = await openai().chat.completions.create({ ...ASK, stream: true });
    for await (const event of stream) {
      expect(event.choices[0]?.delta.content).toBe('Hel');
      break;
    }
    await eventually(() => stub.lastRequest.cancelled);
    expect(await lastRecord()).toMatchObject({ outcome: 'client_closed' });
  });

  it('cancels the provider call when the client disconnects before any response', async () => {
    stub.respond({ neverRespond: true });
    const controller = new AbortController();
    const call = fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@main',
        'content-type': 'application/json',
      },
      body: JSON.stringify(ASK),
      signal: controller.signal,
    });
    await stub.waitForRequest();
    controller.abort();
    await expect(call).rejects.toThrow();
    await eventually(() => stub.lastRequest.cancelled);
    expect(await lastRecord()).toMatchObject({ outcome: 'client_closed', status: 0 });
  });

  it('[SVC-05] falls back to the next target, and records both attempts in one log record', async () => {
    const second = await StubProvider.start();
    second.respondJson(CHAT);
    gateway.addProvider('second', 'openai', second.origin);
    stub.respond({ status: 503, body: { error: { message: 'down' } } });
    const config = {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@main' }, { provider: '@second' }],
    };
    const response = await openai({ 'x-gw-config': JSON.stringify(config) }).chat.completions.create(ASK);
    expect(response.choices[0]?.message.content).toBe('Hello!');
    const records = await gateway.records();
    expect(records).toHaveLength(1);
    expect(records[0]?.decision.attempts).toMatchObject([
      { target: 'config.targets[0]', status: 503, end: 'status' },
      { target: 'config.targets[1]', status: 200, end: 'answered' },
    ]);
    await second.stop();
  });

  it('retries as the config says, and reports the number of retries in the response', async () => {
    stub.respond({ status: 500, headers: { 'retry-after-ms': '1' } }, { body: CHAT });
    const config = {
      provider: '@main',
      retry: { attempts: 2, on_status_codes: [500], use_retry_after_header: true },
    };
    const response = await post('/chat/completions', ASK, { 'x-gw-config': JSON.stringify(config) });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-gw-retry-attempt-count')).toBe('1');
    expect(stub.requests).toHaveLength(2);
  });

  it('[PAS-04] accepts a saved config by its slug', async () => {
    stub.respondJson(CHAT);
    gateway.addConfig('pc-main-1', { provider: '@main', override_params: { temperature: 0.5 } });
    await openai({ 'x-gw-config': 'pc-main-1' }).chat.completions.create(ASK);
    expect(JSON.parse(stub.lastRequest.body.toString())).toMatchObject({ temperature: 0.5 });
    expect((await lastRecord()).decision.config).toMatchObject({ source: 'header', slug: 'pc-main-1' });
  });

  it('keeps the status of a provider error and puts the provider body under error.provider_error', async () => {
    const body = { error: { message: 'slow down', type: 'requests', code: 'rate_limit' } };
    stub.respond({ status: 429, headers: { 'retry-after': '2' }, body });
    const response = await post('/chat/completions', ASK, { 'x-gw-provider': '@main' });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toMatchObject({ error: { message: 'slow down', provider_error: body } });
  });

  it('returns 502 for an unreachable provider and 408 for one that exceeds the request timeout', async () => {
    const closed = await StubProvider.start();
    gateway.addProvider('gone', 'openai', closed.origin);
    await closed.stop();
    const gone = await post('/chat/completions', ASK, { 'x-gw-provider': '@gone' });
    expect(gone.status).toBe(502);
    stub.respond({ neverRespond: true });
    const late = await post('/chat/completions', ASK, {
      'x-gw-provider': '@main',
      'x-gw-request-timeout': '100',
    });
    expect(late.status).toBe(408);
    expect(await late.json()).toMatchObject({ error: { type: 'request_timeout' } });
  });

  it('enforces a rate limit of the key with 429, Retry-After and the name of the limit', async () => {
    stub.respondJson(CHAT);
    gateway.addKey(gateway.apiKey, { rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] });
    expect((await post('/chat/completions', ASK, { 'x-gw-provider': '@main' })).status).toBe(200);
    const refused = await post('/chat/completions', ASK, { 'x-gw-provider': '@main' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({
      error: { type: 'rate_limited', limit: { scope: 'api_key', limit: 1 } },
    });
    expect(stub.requests).toHaveLength(1);
  });

  it('[SVC-02] refuses a request with an organisation key, and logs it under its organisation', async () => {
    gateway.addKey(gateway.apiKey, { type: 'organisation-service', workspaceId: null });
    expect((await post('/chat/completions', ASK, { 'x-gw-provider': '@main' })).status).toBe(403);
    const record = await lastRecord();
    expect(record).toMatchObject({ outcome: 'denied', errorType: 'scope_missing', workspaceId: null });
    expect(record.organisationId).not.toBeNull();
    expect(record.apiKeyId).not.toBeNull();
  });

  it('translates Anthropic for an OpenAI client, streams included', async () => {
    gateway.addProvider('claude', 'anthropic', stub.origin);
    stub.respondJson({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: 'Bonjour' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 4, output_tokens: 2 },
    });
    const response = await openai({ 'x-gw-provider': '@claude' }).chat.completions.create(ASK);
    expect(response.choices[0]?.message.content).toBe('Bonjour');
    expect(stub.lastRequest.url).toBe('/v1/messages');
    expect(stub.lastRequest.headers['x-api-key']).toBe('sk-claude');
    expect(await lastRecord()).toMatchObject({ usage: { inputTokens: 4, outputTokens: 2 } });
  });

  it('serves the Anthropic SDK natively, with errors in its own dialect', async () => {
    gateway.addProvider('claude', 'anthropic', stub.origin);
    const client = new Anthropic({
      apiKey: gateway.apiKey,
      baseURL: gateway.baseUrl.replace(/\/v1$/, ''),
      maxRetries: 0,
      defaultHeaders: { 'x-gw-provider': '@claude' },
    });
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: MODEL,
      content: [{ type: 'text', text: 'Bonjour' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 4, output_tokens: 2 },
    };
    stub.respondJson(message);
    const params = { model: MODEL, max_tokens: 10, messages: ASK.messages };
    expect(await client.messages.create(params)).toMatchObject({ id: 'msg_1' });
    gateway.removeKey(gateway.apiKey);
    await expect(client.messages.create(params)).rejects.toMatchObject({ status: 401 });
  });

  it('serves sandbox responses without a provider account', async () => {
    gateway.addProvider('sandbox', 'sandbox', null, { sealedCredential: null });
    const response = await openai({ 'x-gw-provider': '@sandbox' }).chat.completions.create({
      ...ASK,
      model: 'sandbox-small',
    });
    expect(response.choices[0]?.message.content).toContain('[sandbox]');
    const stream = await openai({ 'x-gw-provider': '@sandbox' }).chat.completions.create({
      ...ASK,
      model: 'sandbox-small',
      stream: true,
    });
    let text = '';
    for await (const event of stream) text += event.choices[0]?.delta.content ?? '';
    expect(text).toContain('[sandbox]');
  });

  it('[PAS-01] [PAS-02] forwards any method and bytes unchanged in both directions', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    stub.respond({
      status: 418,
      headers: { 'content-type': 'application/x-odd', 'x-of-provider': 'yes' },
      body: bytes,
    });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await fetch(`${gateway.baseUrl}/some/thing?a=1&b=%20`, {
        method,
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': '@main',
          'content-type': 'application/octet-stream',
        },
        body: bytes,
      });
      expect(response.status).toBe(418);
      expect(response.headers.get('content-type')).toBe('application/x-odd');
      expect(response.headers.get('x-of-provider')).toBe('yes');
      expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
      expect(stub.lastRequest).toMatchObject({ method, url: '/v1/some/thing?a=1&b=%20', body: bytes });
    }
  });

  it('[PAS-05] does not treat a path below /proxy/ as a built-in route', async () => {
    stub.respond({ status: 400, body: { error: { message: 'as it is' } } });
    const response = await post('/proxy/chat/completions', ASK, { 'x-gw-provider': '@main' });
    expect(await response.json()).toEqual({ error: { message: 'as it is' } });
    expect(stub.lastRequest.url).toBe('/v1/chat/completions');
  });

  it('returns its decision record on request', async () => {
    stub.respondJson(CHAT);
    const response = await post('/chat/completions', ASK, { 'x-gw-provider': '@main', 'x-gw-explain': '1' });
    const decision = JSON.parse(response.headers.get('x-gw-decision') ?? '') as unknown;
    expect(decision).toMatchObject({ attempts: [{ provider: 'openai', status: 200 }] });
  });
});
