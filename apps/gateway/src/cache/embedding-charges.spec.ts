import { eventually, StubProvider, type StubResponse } from '@gw/testing';
import { budget } from '../limits/spec-support/cent-calls';
import { GatewayHarness, type LoggedRequest } from '../spec-support/harness';
import { TestClient, type TestRequest } from '../spec-support/test-client';

const PATIENT = { timeoutMs: 90_000 };

const CHAT = {
  model: 'gpt-4o',
  choices: [{ message: { role: 'assistant', content: 'An animal.' } }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
};
const COST = 9 * 250 + 12 * 1_000;
/** 8 tokens at 0.02 USD per million tokens, in units of 1e-8 USD. */
const EMBEDDING_COST = 8 * 2;
const TEXT = 'What is a cat?';
/** One token per three bytes of the text, at the same price. */
const EMBEDDING_ESTIMATE = Math.ceil(TEXT.length / 3) * 2;
const VECTOR: StubResponse = {
  body: {
    model: 'text-embedding-3-small',
    data: [{ index: 0, embedding: [1, 0] }],
    usage: { prompt_tokens: 8, total_tokens: 8 },
  },
};
const KEY = 'limitedKey00000000000000000000EC';

describe('charges of embedding calls', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let other: StubProvider;
  let vectors: StubProvider;
  const client = new TestClient(() => gateway);
  const cache = {
    mode: 'semantic',
    threshold: 0.9,
    embeddings: { provider: '@vectors', model: 'text-embedding-3-small' },
  };
  const semantic = { provider: '@main', cache };

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, other, vectors] = await Promise.all([
      StubProvider.start(),
      StubProvider.start(),
      StubProvider.start(),
    ]);
    gateway.addProvider('main', 'openai', stub.origin);
    gateway.addProvider('other', 'openai', other.origin);
    gateway.addProvider('vectors', 'openai', vectors.origin);
    gateway.addKey(KEY, { usageLimits: [budget({ creditLimit: 100 })] });
    stub.respondJson(CHAT);
    other.respondJson(CHAT);
    vectors.respond(VECTOR);
    jest.spyOn(Math, 'random').mockReturnValue(0.9999);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), other.stop(), vectors.stop()]);
    jest.restoreAllMocks();
  });

  const send = (config: object, over: TestRequest = {}) =>
    client.ask(
      '/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content: TEXT }] },
      { config, key: KEY, ...over },
    );
  const last = (): Promise<LoggedRequest> =>
    eventually(async () => (await gateway.records()).at(-1), PATIENT);
  /** Returns the amount that the ledger has counted for the budget of the key so far. */
  const counted = async (): Promise<number | undefined> => {
    await client.ask('/models', null, { key: KEY, method: 'GET', headers: { 'x-gw-provider': '@main' } });
    return (await last()).decision.limits.find(({ scope }) => scope === 'api_key')?.used;
  };
  const linesOf = ({ decision }: LoggedRequest) =>
    (decision.charges ?? []).map(({ line, cost }) => [line, cost]);
  /** The log, its charges and the ledger have the same sum. */
  const expectCharged = async (record: LoggedRequest, cost: number): Promise<void> => {
    expect(record.cost).toBe(cost);
    expect(linesOf(record).reduce((sum, [, each]) => sum + Number(each), 0)).toBe(cost);
    expect(await counted()).toBe(cost);
  };

  it('embeds the text once for all attempts of a request', async () => {
    const failed = { status: 500, body: {} };
    stub.respond(failed, failed, failed, { body: CHAT });
    const config = { ...semantic, retry: { attempts: 3, on_status_codes: [500] } };
    expect((await send(config)).status).toBe(200);
    expect([stub.requests.length, vectors.requests.length]).toEqual([4, 1]);
    const record = await last();
    expect(record.decision.cache.embedding).toMatchObject({ cost: EMBEDDING_COST });
    expect(linesOf(record)).toEqual([
      ['embedding', EMBEDDING_COST],
      ['retry', COST],
    ]);
    await expectCharged(record, COST + EMBEDDING_COST);
  });

  it('embeds the text again for a fallback with another embeddings model, and charges both calls', async () => {
    stub.respond({ status: 500, body: {} });
    const large = { ...cache, embeddings: { ...cache.embeddings, model: 'text-embedding-3-large' } };
    const config = {
      strategy: { mode: 'fallback' },
      targets: [semantic, { provider: '@other', cache: large }],
    };
    expect((await send(config)).status).toBe(200);
    expect(vectors.requests).toHaveLength(2);
    const record = await last();
    const ofLarge = Number(linesOf(record)[1]?.[1]);
    expect(ofLarge).toBeGreaterThanOrEqual(EMBEDDING_COST);
    await expectCharged(record, COST + EMBEDDING_COST + ofLarge);
  });

  it('does not repeat an embedding call that failed', async () => {
    vectors.respond({ status: 500, body: {} });
    stub.respond({ status: 500, body: {} }, { body: CHAT });
    await send({ ...semantic, retry: { attempts: 1, on_status_codes: [500] } });
    expect(vectors.requests).toHaveLength(1);
    const record = await last();
    expect(record.decision.cache.failure).toBe('embeddings_failed');
    await expectCharged(record, COST);
  });

  it('charges the call of a request whose provider cannot be reached', async () => {
    const stopped = await StubProvider.start();
    gateway.addProvider('main', 'openai', stopped.origin);
    await stopped.stop();
    expect((await send(semantic)).status).toBe(502);
    const record = await last();
    expect(linesOf(record)).toEqual([['embedding', EMBEDDING_COST]]);
    await expectCharged(record, EMBEDDING_COST);
  });

  it('charges the call of a request that creates background work', async () => {
    const usage = { input_tokens: 9, output_tokens: 12 };
    stub.respondJson({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      background: true,
      model: 'gpt-4o',
      usage,
    });
    const body = { model: 'gpt-4o', input: TEXT, background: true };
    await client.ask('/responses', body, { config: semantic, key: KEY });
    await expectCharged(await last(), COST + EMBEDDING_COST);
  });

  it('charges a hit with its embedding call only', async () => {
    await send(semantic, { key: gateway.apiKey });
    const similar = { model: 'gpt-4o', messages: [{ role: 'user', content: 'A cat is what?' }] };
    const hit = await client.ask('/chat/completions', similar, { config: semantic, key: KEY });
    expect(hit.cache).toBe('SEMANTIC HIT');
    await expectCharged(await last(), EMBEDDING_COST);
  });

  it('charges a call whose vector cannot be used', async () => {
    vectors.respond({ body: { ...(VECTOR.body as object), data: [{ embedding: ['a'] }] } });
    await send(semantic);
    const record = await last();
    expect(record.decision.cache.failure).toBe('embeddings_failed');
    await expectCharged(record, COST + EMBEDDING_COST);
  });

  it('does not believe an implausible number of tokens', async () => {
    vectors.respond({ body: { ...(VECTOR.body as object), usage: { prompt_tokens: 1e15 } } });
    await send(semantic);
    await expectCharged(await last(), COST + EMBEDDING_ESTIMATE);
  });

  it('charges an estimate for a call in flight when the client disconnects, and nothing for the provider that was not called', async () => {
    vectors.respond({ neverRespond: true });
    const leaving = new AbortController();
    const left = expect(send(semantic, { signal: leaving.signal })).rejects.toThrow();
    await vectors.waitForRequest(1, PATIENT.timeoutMs);
    leaving.abort();
    await left;
    const record = await last();
    expect(record.outcome).toBe('client_closed');
    expect(record.decision.charges).toMatchObject([{ line: 'embedding', flags: ['estimated'], requests: 0 }]);
    expect(stub.requests).toHaveLength(0);
    await expectCharged(record, EMBEDDING_ESTIMATE);
    await eventually(() => vectors.lastRequest.cancelled, PATIENT);
  });

  it('charges both calls of a hedged pair, the cancelled one by an estimate', async () => {
    vectors.respond({ neverRespond: true }, VECTOR);
    const config = {
      strategy: { mode: 'hedge', hedge_delay: 1, hedge_percentage: 100 },
      targets: [semantic, { provider: '@other', cache }],
    };
    expect((await send(config)).status).toBe(200);
    const record = await last();
    expect([stub.requests.length, other.requests.length, vectors.requests.length]).toEqual([0, 1, 2]);
    expect(linesOf(record).filter(([line]) => line === 'embedding')).toEqual([
      ['embedding', EMBEDDING_COST],
      ['embedding', EMBEDDING_ESTIMATE],
    ]);
    await expectCharged(record, COST + EMBEDDING_COST + EMBEDDING_ESTIMATE);
    await eventually(() => vectors.requests[0]?.cancelled === true, PATIENT);
  });

  it('charges the budget of the caller, not that of the provider that responds', async () => {
    const usageLimits = [budget({ creditLimit: 100 })];
    gateway.addProvider('main', 'openai', stub.origin, { usageLimits });
    await send(semantic);
    await send({ provider: '@main' });
    const used = (await last()).decision.limits.find(({ scope }) => scope === 'provider')?.used;
    expect(used).toBe(2 * COST);
  });
});
