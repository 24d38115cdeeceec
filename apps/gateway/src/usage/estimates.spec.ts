import type { UsageLimitRule } from '@gw/contracts';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness, OTHER_WORKSPACE_ID, type LoggedRequest } from '../spec-support/harness';
import { RESPONSE, BODY, budget, CENT } from '../limits/spec-support/cent-calls';

describe('estimated usage of requests', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let keys = 0;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const keyWith = (usageLimits: readonly UsageLimitRule[], over: object = {}): string => {
    keys += 1;
    const key = `estimatedKey${String(keys).padStart(20, '0')}`;
    gateway.addKey(key, { id: `key-${String(keys)}`, usageLimits, ...over });
    return key;
  };
  const strict = (creditLimit = 1): string => keyWith([budget({ creditLimit, enforcement: 'strict' })]);
  const send = (
    key: string,
    body: object | string,
    more: { path?: string; headers?: Readonly<Record<string, string>>; signal?: AbortSignal } = {},
  ): Promise<Response> =>
    fetch(`${gateway.baseUrl}${more.path ?? '/chat/completions'}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': key,
        'x-gw-provider': '@main',
        'content-type': 'application/json',
        ...more.headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(more.signal && { signal: more.signal }),
    });
  const errorOf = async (response: Response) =>
    ((await response.json()) as { error: { type: string; param: string; message: string } }).error;

  describe('under a strict budget', () => {
    const { max_tokens: _, ...CHAT } = BODY;
    const TEXT = { model: 'gpt-4o', prompt: 'hi', max_tokens: 2_000 };
    const GEMINI = { ...CHAT, generationConfig: { maxOutputTokens: 60_000, candidateCount: 2 } };
    const override = (params: object): { headers: Readonly<Record<string, string>> } => ({
      headers: {
        'x-gw-config': JSON.stringify({ provider: '@main', override_params: params }),
      },
    });

    it.each([
      ['best_of', { ...TEXT, max_tokens: 8_000, best_of: 20, n: 1 }, { path: '/completions' }],
      ['a list of prompts', { ...TEXT, prompt: Array(60).fill('x') }, { path: '/completions' }],
      ['n without a bound', { ...CHAT, n: 100 }, {}],
      ['n together with a bound', { ...BODY, max_tokens: 2_000, n: 60 }, {}],
      ['Gemini’s candidates on passthrough', GEMINI, { path: '/proxy/v1beta/x' }],
      [
        'a duplicate max_tokens',
        '{"model":"gpt-4o","max_tokens":200000,"max_tokens":1}',
        { path: '/proxy/x' },
      ],
      ['an n from the config', { ...BODY, max_tokens: 2_000 }, override({ n: 60 })],
      ['a bound from the config', BODY, override({ max_tokens: 200_000 })],
    ])('refuses a request by %s that costs more than the rest of the budget', async (_, body, more) => {
      stub.respondJson(RESPONSE);
      expect((await send(strict(), body, more)).status).toBe(412);
      expect(stub.connections).toBe(0);
    });

    it.each([
      ['max_tokens', { ...BODY, max_tokens: '5000' }],
      ['max_tokens', { ...BODY, max_tokens: 5_000.5 }],
      ['max_tokens', { ...BODY, max_tokens: -1 }],
      ['n', { ...BODY, n: '100' }],
      ['n', { ...BODY, n: 1.5 }],
      ['n', { ...BODY, n: [100] }],
      ['maxOutputTokens', { ...CHAT, generationConfig: { maxOutputTokens: '60000' } }],
    ])(
      'refuses a %s that cannot be read, and names it, the rule and the solution: %j',
      async (param, body) => {
        stub.respondJson(RESPONSE);
        const refused = await send(strict(100), body, { path: '/proxy/chat/completions' });
        expect(refused.status).toBe(400);
        const error = await errorOf(refused);
        expect(error).toMatchObject({ type: 'body_invalid', param });
        expect(error.message).toContain(`send it as a whole number of at least 0`);
        expect(stub.connections).toBe(0);
        // Without a strict limit, the provider judges the value.
        const standard = keyWith([budget({ creditLimit: 100 })]);
        expect((await send(standard, body, { path: '/proxy/chat/completions' })).status).toBe(200);
      },
    );

    it('admits a request that fits, however its output is multiplied', async () => {
      stub.respondJson(RESPONSE);
      const key = strict();
      for (const [body, path] of [
        [{ ...TEXT, best_of: 3, prompt: ['a', 'b'] }, '/completions'],
        [{ ...CHAT, n: 3, max_tokens: null }, '/chat/completions'],
        [{ ...TEXT, prompt: Array(500).fill(7) }, '/completions'],
      ] as const)
        expect((await send(key, body, { path })).status).toBe(200);
    });
  });

  describe('after another tenant’s responses have reported large usage', () => {
    const LIE = { ...RESPONSE, usage: { prompt_tokens: 10, completion_tokens: 90_000_000 } };
    const { max_tokens: _, ...UNBOUNDED } = BODY;
    let liar: StubProvider;

    beforeEach(async () => {
      liar = await StubProvider.start();
      liar.respondJson(LIE);
      stub.respondJson(RESPONSE);
      gateway.addTenant(OTHER_WORKSPACE_ID, 'other');
      gateway.addProvider('main', 'openai', liar.origin, { workspaceId: OTHER_WORKSPACE_ID });
      const wide = [budget({ type: 'requests', creditLimit: 1_000_000 })];
      const theirs = keyWith(wide, { workspaceId: OTHER_WORKSPACE_ID });
      const own = keyWith(wide);
      const host = {
        'x-gw-provider': 'openai',
        'x-gw-custom-host': `${liar.origin}/v1`,
        authorization: 'Bearer x',
      };
      for (let at = 0; at < 60; at += 1) {
        expect((await send(theirs, UNBOUNDED)).status).toBe(200);
        expect((await send(own, UNBOUNDED, { headers: host })).status).toBe(200);
      }
    });
    afterEach(async () => {
      await liar.stop();
    });

    it('admits requests to a strict budget as before', async () => {
      expect((await send(strict(), UNBOUNDED)).status).toBe(200);
    });

    it('admits concurrent requests to a standard budget as before', async () => {
      const key = keyWith([budget({ creditLimit: 5 })]);
      const responses = await Promise.all(Array.from({ length: 10 }, () => send(key, UNBOUNDED)));
      expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    });

    it('charges the usual usage if the client disconnected before the response', async () => {
      const key = keyWith([budget({ creditLimit: 500 })]);
      stub.respond({ steps: [{ hang: true }] });
      const leave = new AbortController();
      const before = stub.requests.length;
      const gone = send(key, UNBOUNDED, { signal: leave.signal }).catch(() => null);
      await eventually(() => stub.requests.length > before);
      leave.abort();
      await gone;
      const record = await eventually(async () =>
        (await gateway.records()).find(({ outcome }) => outcome === 'client_closed'),
      );
      expect(record).toMatchObject({ priced: 'estimated' } satisfies Partial<LoggedRequest>);
      expect(record.cost).toBeLessThan(2 * CENT);
    });
  });

  it('charges no more than the model’s maximum if the client disconnected before the response, whatever the request asks for', async () => {
    const key = keyWith([budget({ creditLimit: 500 })]);
    stub.respond({ steps: [{ hang: true }] });
    const leave = new AbortController();
    const gone = send(key, { ...BODY, max_tokens: 999_999_999 }, { signal: leave.signal }).catch(() => null);
    await eventually(() => stub.requests.length > 0);
    leave.abort();
    await gone;
    const record = await eventually(async () => (await gateway.records()).at(-1));
    expect(record).toMatchObject({ outcome: 'client_closed', priced: 'estimated' });
    expect(record.cost).toBeLessThan(129 * CENT);
  });
});
