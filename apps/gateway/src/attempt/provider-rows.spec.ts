import { PROVIDER_ROWS, providerOfRow, PROVIDERS, registryOf, type ProviderRow } from '@gw/providers';
import { StubProvider, type RecordedRequest } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { DIALECT_STUBS } from './spec-support/dialect-stub';

const SETTINGS = {
  snowflake_account: 'acme',
  cf_account_id: 'acc',
  cf_gateway: 'main',
  predibase_tenant: 'ten',
  workers_ai_account_id: 'wid',
  aws_region: 'eu-central-1',
};
const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 9 };
const COMPLETION = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};
const CHUNKS = [
  { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
  { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { id: 'c', model: 'm', choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
];
const MESSAGE = {
  id: 'msg',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 2 },
};

const serves = (row: ProviderRow, word: string): boolean =>
  row.serves.split(' ').some((served) => served.split(/[@=]/)[0] === word);

/** The path of a base URL at the stub, which has the host as its first segment. */
const below = (base: string): string =>
  base
    .replace(/^https:\//, '')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'model' ? CHAT.model : SETTINGS[name as keyof typeof SETTINGS],
    );

/** The row with the stub instead of its hosts: `https://host/v1` becomes `http://stub/host/v1`. */
function atStub(row: ProviderRow, origin: string): ProviderRow {
  const moved = (base: string): string => base.replace(/^https:\//, origin);
  return {
    ...row,
    base: row.base === null ? null : moved(row.base),
    ...(row.messages === undefined ? {} : { messages: moved(row.messages) }),
    bases: Object.fromEntries(Object.entries(row.bases ?? {}).map(([kind, base]) => [kind, moved(base)])),
  };
}

/** Header and value of the key. */
function keyOf({ id, auth = 'bearer' }: ProviderRow): readonly [string, string] {
  const key = `sk-${id}`;
  if (typeof auth === 'string') return ['authorization', `Bearer ${key}`];
  return [auth.header, (auth.format ?? '{key}').replace('{key}', key)];
}

const bodyOf = ({ body }: RecordedRequest): Record<string, unknown> =>
  JSON.parse(body.toString()) as Record<string, unknown>;

describe('every provider row', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    stub = await StubProvider.start();
    const ids = new Set(PROVIDER_ROWS.map(({ id }) => id));
    const others = [...PROVIDERS.values()].filter(({ id }) => !ids.has(id));
    const rows = PROVIDER_ROWS.map((row) => providerOfRow(atStub(row, stub.origin)));
    gateway = await GatewayHarness.start({}, null, undefined, registryOf([...others, ...rows]));
    for (const { id, base } of PROVIDER_ROWS) {
      const configurations = base === null ? { custom_host: `${stub.origin}/self/v1` } : SETTINGS;
      gateway.addProvider(id, id, null, { configurations });
    }
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const call = (path: string, provider: string, body?: object, more: object = {}): Promise<Response> =>
    fetch(gateway.baseUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': provider,
        'content-type': 'application/json',
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const baseOf = ({ base }: ProviderRow): string => (base === null ? '/self/v1' : below(base));
  const rows = PROVIDER_ROWS.map((row) => [row.id, row] as const);
  const chatting = rows.filter(([, row]) => serves(row, 'chat'));

  it.each(chatting)('%s serves chat completions at its path with its key', async (id, row) => {
    stub.respondJson(COMPLETION);
    const response = await call('/chat/completions', `@${id}`, CHAT);
    expect([response.status, await response.json()]).toMatchObject([200, COMPLETION]);
    const path = id === 'writer' ? '/chat' : '/chat/completions';
    expect(stub.lastRequest.url).toBe(baseOf(row) + path);
    const [header, value] = keyOf(row);
    expect(stub.lastRequest.headers[header]).toBe(value);
    if (header !== 'authorization') expect(stub.lastRequest.headers['authorization']).toBeUndefined();
    expect(bodyOf(stub.lastRequest)).toEqual(CHAT);
  });

  it.each(chatting)(
    '%s streams, and is requested to report usage unless it always reports it',
    async (id, row) => {
      stub.respondEvents([...CHUNKS.map((chunk) => JSON.stringify(chunk)), '[DONE]']);
      const response = await call('/chat/completions', `@${id}`, { ...CHAT, stream: true });
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(text).toContain('"content":"Hello"');
      expect(text).toContain('[DONE]');
      const { stream_options } = bodyOf(stub.lastRequest);
      expect(stream_options).toEqual(row.usage === 'always' ? undefined : { include_usage: true });
    },
  );

  it.each(chatting)('%s passes on an error of the provider', async (id) => {
    stub.respondJson({ error: { message: 'slow down', type: 'requests', code: 'rate' } }, 429);
    const response = await call('/chat/completions', `@${id}`, CHAT);
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: 'rate' } });
  });

  const translated = rows.flatMap(([id, row]) =>
    row.dialect === undefined ? [] : [[id, row, row.dialect, DIALECT_STUBS[row.dialect]] as const],
  );

  it.each(translated)(
    '%s serves chat completions, plain and streamed, by translation to %3$s',
    async (id, row, dialect, spoken) => {
      stub.respond({ body: spoken.plain });
      const response = await call('/chat/completions', `@${id}`, CHAT);
      expect([response.status, response.headers.get('x-gw-translation')]).toEqual([
        200,
        `openai-chat>${dialect}`,
      ]);
      expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
      expect(stub.lastRequest.url).toBe(baseOf(row) + spoken.path);
      const [header, value] = keyOf(row);
      expect(stub.lastRequest.headers[header]).toBe(value);

      stub.respond(spoken.stream);
      const streamed = await call('/chat/completions', `@${id}`, { ...CHAT, stream: true });
      expect(streamed.headers.get('content-type')).toContain('text/event-stream');
      const text = await streamed.text();
      expect(text).toContain('"content":"Hel');
      expect(text).toMatch(/data: \[DONE\]\n\n$/);
      expect(stub.lastRequest.url).toBe(baseOf(row) + (spoken.streamPath ?? spoken.path));
    },
  );

  it.each(translated)(
    '%s reports an error of its dialect with its status and message',
    async (id, _row, _, { error }) => {
      stub.respondJson(error.body, error.status);
      const response = await call('/chat/completions', `@${id}`, CHAT);
      expect(response.status).toBe(error.status);
      expect(await response.json()).toMatchObject({
        error: { message: error.message, provider: id, provider_error: error.body },
      });
    },
  );

  it.each(translated)(
    '%s gives way to a fallback when its stream begins with an error',
    async (id, _row, _, spoken) => {
      const rest = DIALECT_STUBS['openai-chat'].stream;
      stub.respond(spoken.broken, rest);
      const config = {
        strategy: { mode: 'fallback' },
        targets: [{ provider: `@${id}`, on_stream_failure: 'restart' }, { provider: '@groq' }],
      };
      const response = await call(
        '/chat/completions',
        `@${id}`,
        { ...CHAT, stream: true },
        {
          'x-gw-config': JSON.stringify(config),
        },
      );
      expect(await response.text()).toContain('"content":"Hello"');
      expect(stub.requests).toHaveLength(2);
    },
  );

  it.each(rows.filter(([, row]) => serves(row, 'models') && !row.base?.includes('{model}')))(
    '%s lists models',
    async (id, row) => {
      stub.respondJson({ object: 'list', data: [{ id: 'm' }] });
      const response = await call('/models', `@${id}`);
      expect(response.status).toBe(200);
      const [, prefix = ''] = /\bmodels@(\S+)/.exec(row.serves) ?? [];
      expect(stub.lastRequest).toMatchObject({ method: 'GET', url: `${baseOf(row)}${prefix}/models` });
      const [header, value] = keyOf(row);
      expect(stub.lastRequest.headers[header]).toBe(value);
    },
  );

  it.each(rows.filter(([, row]) => row.messages !== undefined || serves(row, 'messages')))(
    '%s serves the Messages API natively, and its usage is read as Anthropic’s',
    async (id, row) => {
      stub.respondJson(MESSAGE);
      const response = await call('/messages', `@${id}`, CHAT);
      expect([response.status, await response.json()]).toEqual([200, MESSAGE]);
      expect(response.headers.get('x-gw-translation')).toBeNull();
      const base = row.messages === undefined ? baseOf(row) : below(row.messages);
      expect(stub.lastRequest.url).toBe(`${base}/messages`);
      expect(stub.lastRequest.headers['anthropic-version']).toBe('2023-06-01');
      const [header, value] = row.messagesAuth ? [row.messagesAuth.header, `sk-${id}`] : keyOf(row);
      expect(stub.lastRequest.headers[header]).toBe(value);
      expect(bodyOf(stub.lastRequest)).toEqual(CHAT);
      const record = (await gateway.records()).at(-1);
      expect(record).toMatchObject({ provider: id, usage: { inputTokens: 7, outputTokens: 2 } });
    },
  );

  it.each(chatting.filter(([, row]) => row.messages === undefined && !serves(row, 'messages')))(
    '%s serves the Messages API by translation with the members of its row',
    async (id, row) => {
      stub.respondJson(COMPLETION);
      const response = await call('/messages', `@${id}`, { ...CHAT, metadata: { user_id: 'u' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-gw-translation')).toBe('anthropic-messages>openai-chat');
      const body = bodyOf(stub.lastRequest);
      expect(body[row.maxTokens ?? 'max_tokens']).toBe(9);
      expect(body[row.maxTokens === undefined ? 'max_completion_tokens' : 'max_tokens']).toBeUndefined();
      for (const name of (row.drop ?? '').split(' ')) expect(Object.keys(body)).not.toContain(name);
    },
  );

  it('translates messages at a custom host that replaces only the base of chat completions', async () => {
    const custom_host = `${stub.origin}/own/v1`;
    gateway.addProvider('own', 'moonshot', null, { configurations: { custom_host } });
    stub.respondJson(COMPLETION);
    const response = await call('/messages', '@own', CHAT);
    expect([response.status, stub.lastRequest.url]).toEqual([200, '/own/v1/chat/completions']);
    expect(response.headers.get('x-gw-translation')).toBe('anthropic-messages>openai-chat');
  });

  it('refuses a parameter out of the range of a row, and sends the nearest bound on request', async () => {
    stub.respondJson(COMPLETION);
    const custom_host = `${stub.origin}/own/v1`;
    gateway.addProvider('ranged', 'zhipu', null, { configurations: { custom_host } });
    const body = { ...CHAT, temperature: 1, top_p: 0 };
    const refused = await call('/messages', '@ranged', body);
    expect([refused.status, stub.requests.length]).toEqual([400, 0]);
    expect(JSON.stringify(await refused.json())).toContain('top_p');
    const config = JSON.stringify({ provider: '@ranged', drop_unsupported: true });
    const adapted = await call('/messages', '@ranged', body, { 'x-gw-config': config });
    expect(adapted.status).toBe(200);
    expect(bodyOf(stub.lastRequest)).toMatchObject({ top_p: 0.01 });
  });

  it.each([
    ['xai', 'x-ai'],
    ['kimi', 'moonshot'],
    ['zai', 'z-ai'],
    ['snowflake', 'cortex'],
  ])('accepts the alias %s with the caller’s key, and logs the id %s', async (alias, id) => {
    stub.respondJson(COMPLETION);
    const settings = { 'x-gw-snowflake-account': 'acme' };
    const response = await call('/chat/completions', alias, CHAT, {
      authorization: 'Bearer mine',
      ...settings,
    });
    expect(response.status).toBe(200);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer mine');
    expect((await gateway.records()).at(-1)).toMatchObject({ provider: id });
  });

  it.each(['evil.com/', 'a.b', '..', '%2e', 'a/b', ''])(
    'refuses the Snowflake account %j of a caller before anything is sent',
    async (account) => {
      const response = await call('/chat/completions', 'cortex', CHAT, {
        authorization: 'Bearer mine',
        'x-gw-snowflake-account': account,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param: 'snowflake_account' } });
      expect(stub.requests).toHaveLength(0);
    },
  );

  it('refuses the unknown region of a caller', async () => {
    const response = await call('/chat/completions', 'moonshot', CHAT, {
      authorization: 'Bearer mine',
      'x-gw-provider-region': 'mars',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'provider_region' } });
    expect(stub.requests).toHaveLength(0);
  });

  it('refuses a self-hosted provider without a custom host', async () => {
    const response = await call('/chat/completions', 'vllm', CHAT);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'custom_host' } });
  });

  it('calls a self-hosted provider without a key when there is none', async () => {
    stub.respondJson(COMPLETION);
    const response = await call('/chat/completions', 'vllm', CHAT, {
      'x-gw-custom-host': `${stub.origin}/mine/v1`,
    });
    expect([response.status, stub.lastRequest.url]).toEqual([200, '/mine/v1/chat/completions']);
    expect(stub.lastRequest.headers['authorization']).toBeUndefined();
  });

  it('refuses a retired provider with a message that says so', async () => {
    const response = await call('/chat/completions', 'anyscale', CHAT, { authorization: 'Bearer mine' });
    expect(response.status).toBe(400);
    expect(JSON.stringify(await response.json())).toContain(
      'The provider anyscale (Anyscale Endpoints) is retired',
    );
  });
});
