import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RateLimitPolicyRule, RateLimitRule, UsageLimitPolicyRule, UsageLimitRule } from '@gw/contracts';
import { eventually, StubProvider } from '@gw/testing';
import { GatewayHarness, WORKSPACE_ID, type LoggedRequest } from '../spec-support/harness';
import { RESPONSE, BODY, budget, CENT } from './spec-support/cent-calls';

const rate = (over: Partial<RateLimitRule> = {}): RateLimitRule => ({
  type: 'requests',
  unit: 'rpd',
  value: 1,
  ...over,
});

interface Refusal {
  readonly error: { readonly type: string; readonly limit: Readonly<Record<string, unknown>> };
}

describe('limits', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let keys = 0;

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    stub = await StubProvider.start();
    stub.respondJson(RESPONSE);
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const keyWith = (limits: {
    usageLimits?: readonly UsageLimitRule[];
    rateLimits?: readonly RateLimitRule[];
  }): string => {
    keys += 1;
    const key = `limitedKey${String(keys).padStart(22, '0')}`;
    gateway.addKey(key, { id: `key-${String(keys)}`, ...limits });
    return key;
  };
  const send = (key: string, more: { headers?: Record<string, string>; body?: object; path?: string } = {}) =>
    fetch(`${gateway.baseUrl}${more.path ?? '/chat/completions'}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': key,
        'x-gw-provider': '@main',
        'content-type': 'application/json',
        ...more.headers,
      },
      body: JSON.stringify(more.body ?? BODY),
    });
  const statusesOf = async (calls: number, concurrency: number, key: string): Promise<number[]> => {
    const statuses: number[] = [];
    let left = calls;
    const worker = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const response = await send(key);
        await response.arrayBuffer();
        statuses.push(response.status);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return statuses;
  };
  const accepted = (statuses: readonly number[]): number =>
    statuses.filter((status) => status === 200).length;
  const last = async (): Promise<LoggedRequest> => (await gateway.records()).at(-1) as LoggedRequest;

  it('[LIM-06] admits sequential calls exactly up to the budget', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 0.2 })] });
    const statuses = await statusesOf(30, 1, key);
    expect(statuses).toEqual([...Array<number>(20).fill(200), ...Array<number>(10).fill(412)]);
    expect(stub.requests).toHaveLength(20);
  });

  it('[LIM-06] exceeds a budget by at most one of many concurrent calls', async () => {
    stub.respond({
      steps: [{ waitMs: 50 }, { chunk: JSON.stringify(RESPONSE) }],
      headers: { 'content-type': 'application/json' },
    });
    const key = keyWith({ usageLimits: [budget({ creditLimit: 0.5 })] });
    const statuses = await statusesOf(250, 60, key);
    expect(accepted(statuses)).toBeGreaterThanOrEqual(49);
    expect(accepted(statuses)).toBeLessThanOrEqual(51);
  });

  it('creates the counter of a new key once, however many first calls it gets', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 0.05 })] });
    const statuses = await statusesOf(50, 50, key);
    expect(accepted(statuses)).toBeGreaterThanOrEqual(5);
    expect(accepted(statuses)).toBeLessThanOrEqual(6);
  });

  it('[LIM-06] reports to a refused caller which limit was reached, its usage and its reset', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 0.01, periodicReset: 'monthly' })] });
    expect((await send(key)).status).toBe(200);
    const refused = await send(key);
    expect(refused.status).toBe(412);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { error } = (await refused.json()) as Refusal;
    expect(error).toMatchObject({
      type: 'budget_exhausted',
      limit: { scope: 'api_key', type: 'cost', limit: 0.01, used: 0.01, reserved: 0 },
    });
    expect(error.limit['resets_at']).toMatch(/-01T00:00:00\.000Z$/);
    expect((await last()).decision.limits).toMatchObject([{ scope: 'api_key', verdict: 'refused' }]);
  });

  it('refuses by rate with Retry-After and RateLimit', async () => {
    const key = keyWith({ rateLimits: [rate()] });
    expect((await send(key)).status).toBe(200);
    const refused = await send(key);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(/^limit=1, remaining=0, reset=\d+$/);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it.each(['/proxy/chat/completions', '/chat/completions', '/embeddings', '/unknown/route', '/responses'])(
    '[PAS-06] refuses %s of an exhausted budget before its provider is called',
    async (path) => {
      const key = keyWith({ usageLimits: [budget({ creditLimit: 0.01 })] });
      expect((await send(key)).status).toBe(200);
      for (let call = 0; call < 5; call += 1) expect((await send(key, { path })).status).toBe(412);
      expect(stub.requests).toHaveLength(1);
    },
  );

  it('[PAS-06] charges passthrough by the provider’s usage, also at a custom price', async () => {
    gateway.addProvider('main', 'openai', stub.origin, {
      models: [
        {
          slug: 'gpt-4o',
          enabled: true,
          isCustom: true,
          baseModelSlug: null,
          customHost: null,
          customHeaders: {},
          price: { input: 0, output: 0.2 },
        },
      ],
    });
    const key = keyWith({ usageLimits: [budget({ creditLimit: 2 })] });
    expect((await send(key, { path: '/proxy/chat/completions' })).status).toBe(200);
    expect(await last()).toMatchObject({ cost: 200 * CENT, decision: { price: { source: 'custom' } } });
    expect((await send(key)).status).toBe(412);
  });

  it('counts tokens and requests of a model without a price, and marks the cost as unknown', async () => {
    stub.respondJson({ ...RESPONSE, model: 'no-such-model' });
    const key = keyWith({ usageLimits: [budget(), budget({ type: 'tokens', creditLimit: 2_000 })] });
    const body = { ...BODY, model: 'no-such-model' };
    expect((await send(key, { body })).status).toBe(200);
    expect(await last()).toMatchObject({
      cost: null,
      priced: 'unpriced',
      decision: { charges: [{ cost: null, tokens: 1_000, requests: 1, flags: ['unpriced'] }] },
    });
    expect((await send(key, { body })).status).toBe(200);
    expect((await send(key, { body })).status).toBe(412);
  });

  it('[LIM-06] reserves the maximum cost of a response under strict limits, and nothing if it does not fit', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 0.1, enforcement: 'strict' })] });
    const body = { ...BODY, max_tokens: 50_000 };
    expect((await send(key, { body })).status).toBe(412);
    expect(stub.connections).toBe(0);
    expect((await send(key)).status).toBe(200);
  });

  it('charges a stream whose client disconnected as a flagged estimate, and releases its reservation', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 10 })] });
    const event = { choices: [{ delta: { content: 'Hello' } }] };
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: `data: ${JSON.stringify(event)}\n\n` }, { hang: true }],
    });
    const leave = new AbortController();
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      signal: leave.signal,
      headers: { 'x-gw-api-key': key, 'x-gw-provider': '@main', 'content-type': 'application/json' },
      body: JSON.stringify({ ...BODY, stream: true }),
    });
    await response.body?.getReader().read();
    leave.abort();
    const record = await eventually(async () => (await gateway.records()).at(-1));
    expect(record).toMatchObject({
      outcome: 'client_closed',
      usage: null,
      priced: 'estimated',
      decision: { charges: [{ line: 'primary', flags: ['estimated'] }] },
    });
    expect(record.cost).toBeGreaterThan(0);
    expect(record.cost).toBeLessThan(2 * CENT);
    const [state] = record.decision.limits;
    expect(state?.used).toBe(record.cost);
  });

  it('charges a stream that its provider cut as a flagged estimate', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 10 })] });
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [{ chunk: 'data: {"choices":[]}\n\n' }, { cut: 'reset' }],
    });
    const response = await send(key, { body: { ...BODY, stream: true } });
    await response.text().catch(() => '');
    const record = await eventually(async () => (await gateway.records()).at(-1));
    expect(record).toMatchObject({ outcome: 'interrupted', priced: 'estimated' });
    expect(record.cost).toBeGreaterThan(0);
  });

  it.each([-5, 1e308, '5'])('does not change a counter by an implausible usage of %p', async (count) => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 10 })] });
    stub.respondJson({ ...RESPONSE, usage: { prompt_tokens: count, completion_tokens: count } });
    expect((await send(key)).status).toBe(200);
    const { cost, priced } = await last();
    expect(priced).toBe('estimated');
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeLessThan(10 * CENT);
  });

  it('charges each billed attempt once, to its own line', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 10 })] });
    stub.respond({ status: 500, body: { ...RESPONSE, error: { message: 'no' } } }, { body: RESPONSE });
    const config = JSON.stringify({ provider: '@main', retry: { attempts: 1, on_status_codes: [500] } });
    const response = await send(key, { headers: { 'x-gw-config': config, 'x-gw-provider': '@main' } });
    expect(response.status).toBe(200);
    expect(await last()).toMatchObject({
      cost: 2 * CENT,
      decision: {
        charges: [
          { line: 'primary', cost: CENT, requests: 0 },
          { line: 'retry', cost: CENT, requests: 1 },
        ],
      },
    });
  });

  it('charges the results of a batch at its discount when they are requested, under a name that is charged once', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 10 })] });
    const batch = { ...RESPONSE, id: 'batch_1', object: 'batch', status: 'in_progress', usage: null };
    const ask = async (body: object): Promise<LoggedRequest> => {
      stub.respondJson(body);
      const response = await fetch(`${gateway.baseUrl}/batches/batch_1`, {
        headers: { 'x-gw-api-key': key, 'x-gw-provider': '@main' },
      });
      await response.arrayBuffer();
      return last();
    };
    expect((await ask(batch)).decision.charges).toMatchObject([{ tokens: 0, requests: 1 }]);
    for (let time = 0; time < 2; time += 1) {
      const { cost, decision } = await ask({ ...batch, status: 'completed', usage: RESPONSE.usage });
      expect(cost).toBe(CENT / 2);
      expect(decision.charges).toMatchObject([
        { cost: CENT / 2, requests: 0, once: expect.stringContaining(' batch_1') as string },
        { cost: 0, tokens: 0, requests: 1 },
      ]);
    }
  });

  it('does not charge usage again that was charged when the work was created, however often it is requested', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 10 })] });
    stub.respondJson({ ...RESPONSE, id: 'resp_1', object: 'response', status: 'completed' });
    const response = await fetch(`${gateway.baseUrl}/responses/resp_1`, {
      headers: { 'x-gw-api-key': key, 'x-gw-provider': '@main' },
    });
    await response.arrayBuffer();
    const { usage, decision } = await last();
    expect(usage).toBeNull();
    expect(decision.charges).toMatchObject([{ cost: 0, tokens: 0, requests: 1 }]);
  });

  it('[LIM-06] reserves in no limit if one of them refuses', async () => {
    const usageLimits = [budget(), budget({ type: 'requests', creditLimit: 1 })];
    const key = keyWith({ usageLimits });
    expect((await send(key)).status).toBe(200);
    const before = (await last()).decision.limits.length;
    expect(before).toBe(2);
    for (let call = 0; call < 3; call += 1) {
      const { error } = (await (await send(key)).json()) as Refusal;
      expect(error.limit).toMatchObject({ type: 'requests', used: 1, reserved: 0 });
    }
  });

  it('falls back from a target whose own limit refuses, without calling it', async () => {
    const other = await StubProvider.start();
    other.respondJson(RESPONSE);
    gateway.addProvider('full', 'openai', stub.origin, { rateLimits: [rate()] });
    gateway.addProvider('free', 'openai', other.origin);
    const config = JSON.stringify({
      strategy: { mode: 'fallback', on_status_codes: [429] },
      targets: [{ provider: '@full' }, { provider: '@free' }],
    });
    const key = keyWith({ usageLimits: [budget()] });
    const headers = { 'x-gw-config': config };
    expect((await send(key, { headers })).status).toBe(200);
    expect((await send(key, { headers })).status).toBe(200);
    expect([stub.requests.length, other.requests.length]).toEqual([1, 1]);
    expect((await last()).decision).toMatchObject({
      attempts: [{ end: 'skipped' }, { end: 'answered' }],
      charges: [{ line: 'fallback', cost: CENT }],
    });
    await other.stop();
  });

  it('[LIM-04] admits a key as soon as its limit is raised, and refuses it when the limit is lowered', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 0.01 })] });
    const id = `key-${String(keys)}`;
    expect((await send(key)).status).toBe(200);
    expect((await send(key)).status).toBe(412);
    gateway.addKey(key, { id, usageLimits: [budget({ creditLimit: 0.03 })], status: 'exhausted' });
    expect((await send(key)).status).toBe(200);
    gateway.addKey(key, { id, usageLimits: [budget({ creditLimit: 0.015 })] });
    expect((await send(key)).status).toBe(412);
  });

  it('starts a new counter for a key with the name of a deleted key', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 0.01 })] });
    expect((await send(key)).status).toBe(200);
    expect((await send(key)).status).toBe(412);
    gateway.addKey(key, { id: 'another', name: 'the same', usageLimits: [budget({ creditLimit: 0.01 })] });
    expect((await send(key)).status).toBe(200);
  });

  it('reports a caller’s own limits, exhausted or not, without using any of them', async () => {
    const key = keyWith({ usageLimits: [budget({ creditLimit: 0.02 })], rateLimits: [rate({ value: 9 })] });
    const ask = async (apiKey: string): Promise<unknown> => {
      const response = await fetch(`${gateway.baseUrl}/me/limits`, { headers: { 'x-gw-api-key': apiKey } });
      return { status: response.status, ...((await response.json()) as object) };
    };
    const id = `key-${String(keys)}`;
    for (let call = 0; call < 3; call += 1) await (await send(key)).arrayBuffer();
    for (let time = 0; time < 2; time += 1) {
      expect(await ask(key)).toMatchObject({
        status: 200,
        total: 2,
        data: [
          { scope: 'api_key', id, type: 'cost', limit: 0.02, used: 0.02, remaining: 0, resets_at: null },
          { scope: 'api_key', id, type: 'requests_per_d', limit: 9, used: 2, remaining: 7 },
        ],
      });
    }
    expect(await ask(gateway.apiKey)).toMatchObject({ status: 200, data: [] });
    expect(await ask('unknownKey0000000000000000000000')).toMatchObject({ status: 401 });
  });

  it('[REL-11] enforces workspace policies by key, metadata and provider, separately for each value', async () => {
    const policy = (over: Partial<UsageLimitPolicyRule>): UsageLimitPolicyRule => ({
      id: 'policy',
      name: null,
      conditions: [{ key: 'metadata.team', value: '*' }],
      groupBy: ['metadata.team'],
      limit: budget({ type: 'requests', creditLimit: 1 }),
      ...over,
    });
    gateway.addTenant(WORKSPACE_ID, 'main', {
      policies: {
        usageLimits: [
          policy({}),
          policy({
            id: 'by-provider',
            conditions: [{ key: 'provider', value: 'openai' }],
            groupBy: ['provider'],
            limit: budget({ type: 'requests', creditLimit: 3 }),
          }),
        ],
        rateLimits: [],
      },
    });
    const team = (name: string) => ({ headers: { 'x-gw-metadata': JSON.stringify({ team: name }) } });
    expect((await send(gateway.apiKey, team('a'))).status).toBe(200);
    const refused = await send(gateway.apiKey, team('a'));
    expect(refused.status).toBe(412);
    expect(((await refused.json()) as Refusal).error.limit).toMatchObject({ scope: 'policy', id: 'policy' });
    expect((await send(gateway.apiKey, team('b'))).status).toBe(200);
    expect((await send(gateway.apiKey)).status).toBe(200);
    const full = (await (await send(gateway.apiKey)).json()) as Refusal;
    expect(full.error.limit).toMatchObject({ scope: 'policy', id: 'by-provider', limit: 3, used: 3 });
    expect(stub.requests).toHaveLength(3);
  });

  it('[REL-03] enforces rate-limit policies of the target llm, and not those of tools', async () => {
    const policy = (id: string, target: 'llm' | 'mcp_tools'): RateLimitPolicyRule => ({
      id,
      name: null,
      conditions: [{ key: 'workspace_id', value: WORKSPACE_ID }],
      groupBy: ['api_key'],
      target,
      limit: rate({ value: target === 'llm' ? 2 : 1 }),
    });
    gateway.addTenant(WORKSPACE_ID, 'main', {
      policies: { usageLimits: [], rateLimits: [policy('tools', 'mcp_tools'), policy('models', 'llm')] },
    });
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await send(gateway.apiKey)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it('enforces a workspace’s limit on an integration over all of its providers', async () => {
    const integrationLimits = { usageLimits: [], rateLimits: [rate({ value: 2 })] };
    for (const slug of ['one', 'two']) {
      gateway.addProvider(slug, 'openai', stub.origin, { integrationId: 'shared', integrationLimits });
    }
    const by = (slug: string) => send(gateway.apiKey, { headers: { 'x-gw-provider': `@${slug}` } });
    expect([(await by('one')).status, (await by('two')).status]).toEqual([200, 200]);
    const refused = await by('one');
    expect(refused.status).toBe(429);
    expect(((await refused.json()) as Refusal).error.limit).toMatchObject({
      scope: 'integration',
      id: 'shared',
    });
  });

  it('applies the pricing adjustments of an integration to the charge', async () => {
    gateway.addProvider('main', 'openai', stub.origin, {
      pricingAdjustments: { multiplier: { default: 1.5 } },
    });
    const key = keyWith({ usageLimits: [budget({ creditLimit: 5 })] });
    expect((await send(key)).status).toBe(200);
    expect((await last()).cost).toBe(1.5 * CENT);
  });
});

describe('configured price sources', () => {
  it('[ENV-08] override the catalogue, and an unreadable file does not prevent charges', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'prices-'));
    const price = { request_token: { price: 0 }, response_token: { price: 0.1 } };
    const file = { 'gpt-4o': { pricing_config: { pay_as_you_go: price } } };
    writeFileSync(join(folder, 'openai.json'), JSON.stringify(file));
    writeFileSync(join(folder, 'groq.json'), 'no JSON');
    const gateway = await GatewayHarness.start({ MODEL_CONFIGS_PRICING_LOCAL_PATH: folder });
    const stub = await StubProvider.start();
    stub.respondJson(RESPONSE);
    const costBy = async (provider: string): Promise<unknown> => {
      gateway.addProvider('main', provider, stub.origin);
      const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: {
          'x-gw-api-key': gateway.apiKey,
          'x-gw-provider': '@main',
          'content-type': 'application/json',
        },
        body: JSON.stringify(BODY),
      });
      await response.arrayBuffer();
      const record = (await gateway.records()).at(-1);
      return [record?.cost, record?.decision.price?.source];
    };
    try {
      // The file is read when the first request needs it.
      await eventually(async () => ((await costBy('openai')) as unknown[])[1] === 'configured', {
        timeoutMs: 90_000,
      });
      expect(await costBy('openai')).toEqual([100 * CENT, 'configured']);
      const [, source] = (await costBy('groq')) as unknown[];
      expect(source).not.toBe('configured');
      const health = async (): Promise<unknown> =>
        (await fetch(`${gateway.baseUrl}/health/parts`, { headers: gateway.serviceAuth })).json();
      await eventually(
        async () => {
          expect(await health()).toMatchObject({
            parts: expect.arrayContaining([
              expect.objectContaining({
                ...{ name: 'prices', status: 'degraded' },
                figures: { failing: [{ kind: 'pricing', provider: 'groq', source: 'local' }] },
              }),
            ]) as unknown,
          });
          return true;
        },
        { timeoutMs: 90_000 },
      );
    } finally {
      await Promise.all([gateway.stop(), stub.stop()]);
      rmSync(folder, { recursive: true });
    }
  });
});
