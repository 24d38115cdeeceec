import { StubProvider, type StubResponse } from '@gw/testing';
import { TestClient, type TestRequest, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';

const CHAT = {
  model: 'gpt-4o',
  choices: [{ message: { role: 'assistant', content: 'An animal.' } }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
};
const COST = 9 * 250 + 12 * 1_000;
/** 8 tokens at 0.02 USD per million tokens, in units of 1e-8 USD. */
const EMBEDDING_COST = 8 * 2;

/** Texts about cats have similar vectors; all other texts share another direction. */
const vectorOf = (text: string): number[] => (text.includes('cat') ? [1, text.length / 1_000] : [0, 1]);

describe('semantic cache', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let vectors: StubProvider;
  const asker = new TestClient(() => gateway);
  const embeddings = { provider: '@vectors', model: 'text-embedding-3-small', dimensions: 2 };
  const config = { provider: '@main', cache: { mode: 'semantic', threshold: 0.9, embeddings } };

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, vectors] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('vectors', 'openai', vectors.origin);
    stub.respondJson(CHAT);
    vectors.respond(({ body }) => {
      const { input } = JSON.parse(body.toString()) as { input: string };
      return {
        body: {
          model: 'text-embedding-3-small',
          data: [{ index: 0, embedding: vectorOf(input) }],
          usage: { prompt_tokens: 8, total_tokens: 8 },
        },
      };
    });
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), vectors.stop()]);
  });

  const ask = (text: string, over: object = {}, requested: TestRequest = {}): Promise<TestResponse> =>
    asker.ask(
      '/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content: text }], ...over },
      { config, ...requested },
    );
  const lastRecord = async (): Promise<LoggedRequest | undefined> => (await gateway.records()).at(-1);

  it('serves a similar question for the cost of its embedding', async () => {
    const first = await ask('What is a cat?');
    expect(first.cache).toBe('SEMANTIC MISS');
    expect(await lastRecord()).toMatchObject({
      cost: COST + EMBEDDING_COST,
      decision: {
        cache: {
          embedding: { provider: 'openai', credential: 'vectors', inputTokens: 8, cost: EMBEDDING_COST },
        },
      },
    });
    const second = await ask('Tell me what a cat is');
    expect([second.cache, second.text]).toEqual(['SEMANTIC HIT', first.text]);
    expect(stub.requests).toHaveLength(1);
    const record = await lastRecord();
    expect(record).toMatchObject({
      cacheStatus: 'SEMANTIC HIT',
      cost: EMBEDDING_COST,
      usage: { inputTokens: 0 },
    });
    expect(record?.decision.cache.savedCost).toBe(COST);
    expect(record?.decision.cache.similarity).toBeGreaterThan(0.99);
    expect((await ask('What is a dog?')).cache).toBe('SEMANTIC MISS');
  });

  it('serves an identical question without an embedding call', async () => {
    await ask('What is a cat?');
    expect((await ask('What is a cat?')).cache).toBe('HIT');
    expect(vectors.requests).toHaveLength(1);
  });

  it('calls the config’s embeddings target with the text only, and nothing else of the request', async () => {
    const headers = {
      'x-secret': 's',
      authorization: 'Bearer sk-caller',
      'x-gw-forward-headers': 'x-secret',
    };
    await ask('What is a cat?', {}, { headers });
    const { url, headers: sent, body } = vectors.lastRequest;
    expect(url).toBe('/v1/embeddings');
    expect(JSON.parse(body.toString())).toEqual({
      input: 'What is a cat?',
      model: embeddings.model,
      dimensions: 2,
    });
    expect(sent['authorization']).toBe('Bearer sk-vectors');
    expect(sent).not.toHaveProperty('x-secret');
  });

  it.each([
    [
      'a different system prompt',
      {
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'cat' },
        ],
      },
    ],
    ['another temperature', { temperature: 0 }],
    ['a stream', { stream: true }],
  ])('does not serve a similar question with %s', async (_name, over) => {
    await ask('What is a cat?');
    expect((await ask('Tell me what a cat is', over)).cache).toBe('SEMANTIC MISS');
  });

  it('sends the embeddings target no text that a guardrail has removed', async () => {
    const replace = { rule: '[0-9]{4}', redactText: '[NUMBER]' };
    const guarded = { ...config, input_guardrails: [{ 'default.regexReplace': replace, deny: false }] };
    await ask('Is the number of my cat 1234?', {}, { config: guarded });
    expect(stub.lastRequest.body.toString()).toContain('[NUMBER]');
    const { input } = JSON.parse(vectors.lastRequest.body.toString()) as { input: string };
    expect(input).toBe('Is the number of my cat [NUMBER]?');
  });

  it('does not serve a similar question of another user in the metadata', async () => {
    await ask('What is a cat?', {}, { headers: { 'x-gw-metadata': '{"_user":"a"}' } });
    const other = await ask('Tell me what a cat is', {}, { headers: { 'x-gw-metadata': '{"_user":"b"}' } });
    expect(other.cache).toBe('SEMANTIC MISS');
  });

  const failures: readonly (readonly [string, StubResponse])[] = [
    ['refuses', { status: 429, body: { error: { message: 'x' } } }],
    ['responds with another object', { body: { data: 'x' } }],
    ['responds with invalid JSON', { body: 'x' }],
    ['breaks the connection', { raw: '' }],
    ['sends an incomplete response', { steps: [{ chunk: Buffer.alloc(2_000_000, ' ') }, { hang: true }] }],
    ['says nothing', { neverRespond: true }],
  ];
  it.each(failures)('reports a miss when the embeddings target %s', async (_name, answer) => {
    vectors.respond(answer);
    const impatient = {
      ...config,
      cache: { ...config.cache, embeddings: { ...embeddings, request_timeout: 200 } },
    };
    const response = await ask('What is a cat?', {}, { config: impatient });
    expect([response.status, response.cache]).toEqual([200, 'SEMANTIC MISS']);
    expect((await lastRecord())?.decision.cache.failure).toBe('embeddings_failed');
    expect((await ask('What is a cat?', {}, { config: impatient })).cache).toBe('HIT');
  });

  it('matches identical text only when the config names no embeddings target', async () => {
    const words = { provider: '@main', cache: { mode: 'semantic' } };
    await ask('What is a cat?', {}, { config: words });
    expect((await ask('Tell me what a cat is', {}, { config: words })).cache).toBe('MISS');
    expect((await ask('What is a cat?', {}, { config: words })).cache).toBe('HIT');
    expect(vectors.requests).toHaveLength(0);
  });
});
