import { gzipSync } from 'node:zlib';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 4 },
};
const EVENTS = [
  { type: 'message_start', message: { ...MESSAGE, content: [] } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

describe('provider that compresses although only identity was accepted', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('claude', 'anthropic', stub.origin);
    gateway.addProvider('open', 'openai', stub.origin);
  });
  afterEach(async () => {
    await gateway.stop();
    await stub.stop();
  });

  const ask = (provider: string, more: object = {}): Promise<Response> =>
    fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'accept-encoding': 'gzip, br',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': provider,
      },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    });
  const respondWith = (body: string, type = 'application/json', status = 200, coding = 'gzip'): void => {
    const headers = { 'content-type': type, 'content-encoding': coding };
    stub.respond({ status, headers, body: gzipSync(body) });
  };

  it('sends a request for identity on a built-in route', async () => {
    respondWith(JSON.stringify(MESSAGE));
    await (await ask('@claude')).text();
    expect(stub.lastRequest.headers['accept-encoding']).toBe('identity');
  });

  it('translates a compressed message', async () => {
    respondWith(JSON.stringify(MESSAGE));
    const response = await ask('@claude');
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
  });

  it('translates a compressed stream, up to the end mark', async () => {
    respondWith(EVENTS, 'text/event-stream');
    const response = await ask('@claude', { stream: true });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
    const text = await response.text();
    expect(text).toContain('"content":"Hello"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('decodes a compressed error in provider_error', async () => {
    const error = { error: { message: 'No such model', type: 'invalid_request_error', code: 'nope' } };
    respondWith(JSON.stringify(error), 'application/json', 404);
    const response = await ask('@open');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({
      error: { message: 'No such model', code: 'nope', provider_error: error },
    });
  });

  it('returns 502 for a coding that cannot be decoded', async () => {
    respondWith(JSON.stringify(MESSAGE), 'application/json', 200, 'nosuch');
    const response = await ask('@claude');
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { type: 'provider_answer_invalid' } });
  });
});
