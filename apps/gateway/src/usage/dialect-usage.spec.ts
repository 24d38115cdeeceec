import { StubProvider } from '@gw/testing';
import { DIALECT_STUBS } from '../attempt/spec-support/dialect-stub';
import { GatewayHarness } from '../spec-support/harness';

/** A provider that speaks the dialect. */
const PROVIDERS: Readonly<Record<keyof typeof DIALECT_STUBS, string>> = {
  'openai-chat': 'groq',
  'anthropic-messages': 'anthropic',
  'cohere-v2': 'cohere',
  gemini: 'google',
  mistral: 'mistral-ai',
};
const HI = [{ role: 'user', content: 'Hi' }];
const gemini = (method: string): [string, object] => [
  `/v1beta/models/m:${method}`,
  { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
];
/** Clients of each dialect: path and body of a call, by whether it streams. */
const CLIENTS: Readonly<Record<string, (stream: boolean) => [path: string, body: object]>> = {
  'openai-chat': (stream) => ['/v1/chat/completions', { model: 'm', messages: HI, stream }],
  'openai-responses': (stream) => ['/v1/responses', { model: 'm', input: 'Hi', stream }],
  'anthropic-messages': (stream) => ['/v1/messages', { model: 'm', max_tokens: 9, messages: HI, stream }],
  gemini: (stream) => gemini(stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
};
/** Native routes of a provider that has several dialects. */
const OWN_DIALECT: ReadonlySet<string> = new Set(['google openai-chat']);

const cases = Object.entries(PROVIDERS).flatMap(([dialect, provider]) =>
  Object.keys(CLIENTS)
    .filter((client) => !OWN_DIALECT.has(`${provider} ${client}`))
    .flatMap((client) => [false, true].map((stream) => [dialect, client, stream, provider] as const)),
);

describe('usage in the ledger', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    [gateway, stub] = await Promise.all([GatewayHarness.start(), StubProvider.start()]);
    for (const id of Object.values(PROVIDERS)) gateway.addProvider(id, id, stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  it.each(cases)(
    'has every token that a provider of %s reports to a client of %s (stream: %s)',
    async (dialect, client, stream, provider) => {
      const spoken = DIALECT_STUBS[dialect as keyof typeof DIALECT_STUBS];
      stub.respond(stream ? spoken.stream : { body: spoken.plain });
      const [path, body] = CLIENTS[client]?.(stream) ?? ['', {}];
      const response = await fetch(gateway.baseUrl.replace(/\/v1$/, '') + path, {
        method: 'POST',
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': `@${provider}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hel')]);
      const record = (await gateway.records()).at(-1);
      expect(record?.usage).toEqual({ ...NONE, ...spoken.usage });
    },
  );
});

const NONE = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  outputAudioTokens: 0,
};
