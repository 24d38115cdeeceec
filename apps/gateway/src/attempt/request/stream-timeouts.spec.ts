import { OutboundClient } from '@gw/outbound';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';

const CHAT = { model: 'gpt-4o', messages: [] };
const CONTENTS = { contents: [{ parts: [{ text: 'Hi' }] }] };
const STREAMING = '/v1beta/models/gemini-2.5-pro:streamGenerateContent';

describe('total timeout of a call', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  const dispatch = jest.spyOn(OutboundClient.prototype, 'dispatch');

  beforeAll(async () => {
    [gateway, stub] = await Promise.all([GatewayHarness.start(), StubProvider.start()]);
    gateway.addProvider('openai', 'openai', stub.origin);
    gateway.addProvider('gemini', 'gemini', stub.origin);
  });
  afterAll(() => Promise.all([gateway.stop(), stub.stop()]));

  it.each([
    ['a stream', '/v1/chat/completions', '@openai', { ...CHAT, stream: true }, {}],
    ['a stream that the config demands', '/v1/chat/completions', '@openai', CHAT, { stream: true }],
    ['a stream of Gemini', STREAMING, '@gemini', CONTENTS, {}],
    ['a translated stream of Gemini', STREAMING, '@openai', CONTENTS, {}],
    ['a stream of a passthrough path', '/v1/model/m/converse-stream', '@openai', {}, {}],
    ['no stream', '/v1/chat/completions', '@openai', CHAT, {}],
    [
      'no stream, as the config demands',
      '/v1/chat/completions',
      '@openai',
      { ...CHAT, stream: true },
      { stream: false },
    ],
    ['no stream of Gemini', STREAMING.replace('streamG', 'g'), '@gemini', CONTENTS, {}],
  ])('is set as it must be for %s', async (name, path, provider, body, override_params) => {
    dispatch.mockClear();
    const response = await fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': gateway.apiKey,
        'x-gw-config': JSON.stringify({ provider, override_params, request_timeout: 60_000 }),
      },
      body: JSON.stringify(body),
    });
    await response.text();
    const [request] = dispatch.mock.lastCall as Parameters<OutboundClient['dispatch']>;
    expect([request.idleTimeoutMs, request.totalTimeoutMs]).toEqual([
      60_000,
      name.startsWith('no') ? 60_000 : 0,
    ]);
  });
});
