import { StubProvider } from '@gw/testing';
import { DIALECT_STUBS } from '../attempt/spec-support/dialect-stub';
import { GatewayHarness } from '../spec-support/harness';
import { withResponsesOnly } from '../spec-support/responses-only';

interface Spoken {
  readonly provider: string;
  readonly model?: string;
  configurations?(origin: string): Readonly<Record<string, string>>;
}

/** A provider that speaks the dialect. */
const PROVIDERS: Readonly<Record<keyof typeof DIALECT_STUBS, Spoken>> = {
  'openai-chat': { provider: 'groq' },
  'openai-responses': { provider: 'responses-only' },
  'anthropic-messages': { provider: 'anthropic' },
  'bedrock-converse': {
    provider: 'bedrock',
    configurations: (custom_host) => ({
      custom_host,
      aws_region: 'eu-central-1',
      aws_access_key_id: 'AKID',
      aws_secret_access_key: 'a-secret',
    }),
  },
  'cohere-v2': { provider: 'cohere' },
  gemini: { provider: 'google' },
  mistral: { provider: 'mistral-ai' },
  ollama: { provider: 'ollama', configurations: (origin) => ({ custom_host: `${origin}/api` }) },
};
const HI = [{ role: 'user', content: 'Hi' }];
const gemini = (model: string, method: string): [string, object] => [
  `/v1beta/models/${model}:${method}`,
  { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
];
/** Clients of each dialect: path and body of a call, by whether it streams. */
const CLIENTS: Readonly<Record<string, (stream: boolean, model: string) => [path: string, body: object]>> = {
  'openai-chat': (stream, model) => ['/v1/chat/completions', { model, messages: HI, stream }],
  'openai-responses': (stream, model) => ['/v1/responses', { model, input: 'Hi', stream }],
  'anthropic-messages': (stream, model) => ['/v1/messages', { model, max_tokens: 99, messages: HI, stream }],
  gemini: (stream, model) => gemini(model, stream ? 'streamGenerateContent?alt=sse' : 'generateContent'),
};
/** Native routes of a provider that has several dialects. */
const OWN_DIALECT: ReadonlySet<string> = new Set(['google openai-chat']);

const cases = Object.entries(PROVIDERS).flatMap(([dialect, { provider, model = 'm' }]) =>
  Object.keys(CLIENTS)
    .filter((client) => !OWN_DIALECT.has(`${provider} ${client}`))
    .flatMap((client) => [false, true].map((stream) => [dialect, client, stream, model] as const)),
);

describe('usage in the ledger', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    [gateway, stub] = await Promise.all([
      GatewayHarness.start({}, null, undefined, withResponsesOnly()),
      StubProvider.start(),
    ]);
    for (const [dialect, { provider, configurations }] of Object.entries(PROVIDERS)) {
      const over = configurations === undefined ? {} : { configurations: configurations(stub.origin) };
      gateway.addProvider(dialect, provider, stub.origin, over);
    }
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  it.each(cases)(
    'has every token that a provider of %s reports to a client of %s (stream: %s)',
    async (dialect, client, stream, model) => {
      const spoken = DIALECT_STUBS[dialect as keyof typeof DIALECT_STUBS];
      stub.respond(stream ? spoken.stream : { body: spoken.plain });
      const [path, body] = CLIENTS[client]?.(stream, model) ?? ['', {}];
      const response = await fetch(gateway.baseUrl.replace(/\/v1$/, '') + path, {
        method: 'POST',
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': `@${dialect}`,
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
