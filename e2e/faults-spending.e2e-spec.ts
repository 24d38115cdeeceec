import { eventually, startRedis } from '@gw/testing';
import {
  responseFor,
  BODY,
  bodyFor,
  CENT,
  FIRST_CHUNK,
  PATIENCE,
  sells,
  sellsSlowly,
  STREAM,
  streamed,
  TOKENS,
  withSpending,
} from './spec-support/spending';
import type { LogDetail } from './spec-support/logs';
import { withProduct, type NewKey } from './spec-support/workbench';

jest.setTimeout(600_000);

/**
 * Tests of budgets and rate limits with gateway processes that share only Redis and the control
 * plane.
 */
describe('three gateway processes over one Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const bench = withProduct(async () => {
    redis = await startRedis();
    return { redisUrl: redis.url };
  });
  afterAll(() => redis.stop());
  const { spending, stub } = withSpending(bench, () => redis.url);
  beforeEach(() => stub().respond(sells));

  /**
   * Waits until other processes have returned their unused leases, so that the whole limit can be
   * used in the end.
   */
  async function used(key: NewKey, before: number, calls: number, body = BODY): Promise<number> {
    let accepted = before;
    await eventually(async () => (accepted += await spending().load(key, 3, 1, { body })) >= calls, PATIENCE);
    expect(accepted).toBeLessThanOrEqual(calls + 1);
    return accepted;
  }

  it('bud-01: a limit of 100 admits exactly the first 100 of 150 sequential calls', async () => {
    const key = await spending().whileCountersRespond(async () => {
      const made = await spending().newKey(1);
      const responses: string[] = [];
      for (let at = 0; at < 150; at += 1) {
        const { status, text } = await spending().call(spending().on(0), made);
        responses.push(status === 412 && text.includes('"budget_exhausted"') ? 'budget' : String(status));
      }
      expect(responses).toEqual([
        ...Array.from({ length: 100 }, () => '200'),
        ...Array.from({ length: 50 }, () => 'budget'),
      ]);
      return made;
    });
    await spending().agreeOn(key, 100 * CENT);
  });

  it('[LIM-06] bud-02: 500 calls, 100 at once, to one process use the limit and exceed it by at most one call', async () => {
    stub().respond(sellsSlowly);
    await spending().whileCountersRespond(async () => {
      const key = await spending().newKey(1);
      const before = stub().requests.length;
      const accepted = await spending().load(key, 500, 100, { on: [0] });
      expect(accepted).toBeLessThanOrEqual(101);
      expect(accepted).toBeGreaterThanOrEqual(99);
      expect(stub().requests.length - before).toBe(accepted);
      await used(key, accepted, 100);
    });
  });

  it('[LIM-06] bud-03: 1,500 calls, 300 at once, over three processes exceed a limit by at most one call', async () => {
    stub().respond(sellsSlowly);
    const { key, calls } = await spending().whileCountersRespond(async () => {
      const made = await spending().newKey(1);
      const accepted = await spending().load(made, 1_500, 300);
      expect(accepted).toBeLessThanOrEqual(101);
      return { key: made, calls: await used(made, accepted, 100) };
    });
    await spending().agreeOn(key, calls * CENT);
  });

  it('bud-04: the first 50 concurrent calls of a new key create its counter once', async () => {
    await spending().whileCountersRespond(async () => {
      const key = await spending().newKey(1);
      const accepted = await spending().load(key, 50, 50, { body: bodyFor(10) });
      expect(accepted).toBeLessThanOrEqual(11);
      await used(key, accepted, 10, bodyFor(10));
      expect(await spending().redis.keys(`gw:limit:*${key.id}*`)).toHaveLength(1);
    });
  });

  it('bud-05: a call of a model without a price succeeds, counts its tokens, costs nothing, and is marked unpriced', async () => {
    const keys = [
      await spending().newKey(1),
      await bench().newKey({ usage_limits: { credit_limit: 1e9, type: 'tokens' } }),
    ] as const;
    stub().respondJson({ ...responseFor(), model: 'a-model-of-nobody' });
    for (const key of keys) {
      const body = { ...BODY, model: 'a-model-of-nobody' };
      expect(await spending().load(key, 100, 10, { body })).toBe(100);
      await eventually(async () => (await spending().logged(key)).length === 100, PATIENCE);
      const reply = await spending().logged(key);
      const facts = reply.map((log) => String([log.cost_exact, log.priced, log.total_units]));
      expect(new Set(facts)).toEqual(new Set([String([null, 'unpriced', TOKENS])]));
    }
    const [ofCost, ofTokens] = keys;
    await eventually(async () => (await spending().counted(ofCost)) === 0, PATIENCE);
    const counted = async () => (await spending().counted(ofTokens, 'tokens')) === 100 * TOKENS;
    await eventually(counted, PATIENCE);
  });

  it('bud-06: a stream that may exceed the rest is refused by a strict limit; a standard limit charges all of its usage and admits no further call', async () => {
    const dear = { ...STREAM, max_tokens: 500_000 };
    const strict = await bench().newKey({ usage_limits: { credit_limit: 1, enforcement: 'strict' } });
    const { key, cents } = await spending().whileCountersRespond(async () => {
      const standard = await spending().newKey(1);
      stub().respond(streamed(undefined, 500_000));
      expect((await spending().call(spending().on(0), strict, dear)).status).toBe(412);
      expect((await spending().call(spending().on(0), standard, dear)).status).toBe(200);
      stub().respond(sells);
      let charged = 500;
      for (const gateway of spending().gateways) {
        await eventually(async () => {
          const { status } = await spending().call(gateway, standard);
          if (status === 200) charged += 1;
          return status === 412;
        }, PATIENCE);
      }
      expect(charged).toBeLessThanOrEqual(510);
      return { key: standard, cents: charged };
    });
    await spending().agreeOn(key, cents * CENT);
  });

  it('bud-07: streams of clients that disconnect are charged and logged once, and release their reservations', async () => {
    const key = await spending().newKey(100);
    stub().respond(streamed(new Promise(() => undefined)));
    const calls = 200;
    const leave = async (at: number): Promise<void> => {
      const controller = new AbortController();
      const { body } = await streamOf(key, at, controller.signal);
      await body?.getReader().read();
      controller.abort();
    };
    for (let at = 0; at < calls; at += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, one) => leave(at + one)));
    }
    await everyCutIsCharged(key, calls, 'client_closed');
  });

  it('bud-08: streams that their provider cuts are charged and logged once, and release their reservations', async () => {
    const key = await spending().newKey(100);
    const calls = 200;
    // A response that is cut before its client has received any of it fails as a whole.
    const cuts = new Map<string, () => void>();
    const cutOf = (body: Buffer): Promise<void> => {
      const { user } = JSON.parse(body.toString()) as { user: string };
      return new Promise((resolve) => cuts.set(user, resolve));
    };
    stub().respond(({ body }) => ({
      headers: { 'content-type': 'text/event-stream' },
      steps: [
        ...Array.from({ length: 10 }, () => FIRST_CHUNK),
        { until: cutOf(body) },
        { cut: 'reset' } as const,
      ],
    }));
    const read = async (at: number): Promise<void> => {
      const { body } = await streamOf(key, at);
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      cuts.get(String(at))?.();
      while (!(await reader.read().catch(() => ({ done: true }))).done);
    };
    for (let at = 0; at < calls; at += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, one) => read(at + one)));
    }
    await everyCutIsCharged(key, calls, 'interrupted');
  });

  /** Begins the stream with this number. */
  const streamOf = (key: NewKey, at: number, signal?: AbortSignal): Promise<Response> =>
    fetch(`${spending().on(at).baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': key.key,
        'x-gw-provider': '@main',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...STREAM, user: String(at) }),
      ...(signal ? { signal } : {}),
    });

  async function everyCutIsCharged(key: NewKey, calls: number, outcome: string): Promise<void> {
    await eventually(async () => (await spending().logged(key)).length >= calls, PATIENCE);
    const logs = await spending().logged(key);
    expect(logs).toHaveLength(calls);
    expect(logs.filter(({ cost_exact: cost }) => Number(cost) > 0)).toHaveLength(calls);
    expect(new Set(logs.map(({ priced }) => priced))).toEqual(new Set(['estimated']));
    expect(new Set(logs.map((log) => log.outcome))).toEqual(new Set([outcome]));
    const sum = logs.reduce((total, { cost_exact: cost }) => total + Number(cost), 0);
    await spending().agreeOn(key, sum);
    await eventually(async () => (await spending().held(key)) === 0, PATIENCE);
  }

  it.each([
    ['retry', { provider: '@main', retry: { attempts: 1, on_status_codes: [503] } }],
    ['fallback', { strategy: { mode: 'fallback' }, targets: [{ provider: '@main' }, { provider: '@main' }] }],
  ] as const)(
    'bud-10: each billed attempt before a %s is charged once, to its own line',
    async (line, route) => {
      const key = await spending().newKey(100);
      const headers = { 'x-gw-config': await bench().config(route) };
      const before = stub().requests.length;
      const seen = new Set<string>();
      stub().respond(({ body }) => {
        const first = !seen.has(body.toString());
        seen.add(body.toString());
        return { status: first ? 503 : 200, body: responseFor() };
      });
      const calls = Array.from({ length: 50 }, (_, at) =>
        spending().call(spending().on(at), key, { ...BODY, user: String(at) }, { headers }),
      );
      for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
      expect(stub().requests.length - before).toBe(100);
      await spending().agreeOn(key, 100 * CENT);
      const [{ id } = { id: '' }] = await spending().logged(key);
      const { decision } = await bench().manage<LogDetail>('GET', `/logs/${id}`);
      expect(decision.charges?.map((charge) => [charge.line, charge.cost])).toEqual([
        ['primary', CENT],
        [line, CENT],
      ]);
    },
  );

  it('bud-11: of 100 equal calls with a cache, provider calls are charged, and the others report their saving', async () => {
    const key = await spending().newKey(100);
    const config = await bench().config({ provider: '@main', cache: { mode: 'simple' } });
    const headers = { 'x-gw-config': config };
    const before = stub().requests.length;
    for (let at = 0; at < 100; at += 1) {
      expect((await spending().call(spending().on(at), key, BODY, { headers })).status).toBe(200);
    }
    const misses = stub().requests.length - before;
    expect(misses).toBeLessThan(100);
    await spending().agreeOn(key, misses * CENT);
    await eventually(async () => (await spending().logged(key)).length === 100, PATIENCE);
    const hits = (await spending().logged(key)).filter((log) => log.cache_status === 'HIT');
    expect(hits.map((log) => log.cost_exact)).toEqual(Array.from({ length: 100 - misses }, () => '0'));
    const saved = hits.length * CENT;
    await eventually(async () => {
      expect(await spending().savings(key)).toEqual({ log: saved, analytics: saved, recorded: saved });
      return true;
    }, PATIENCE);
  });

  it('[PAS-06] bud-12: an exhausted budget refuses passthrough and unknown routes too', async () => {
    await spending().whileCountersRespond(async () => {
      const key = await spending().newKey(1);
      await used(key, 0, 1, bodyFor(100));
      const before = stub().requests.length;
      for (let at = 0; at < 100; at += 1) {
        const path = at % 2 === 0 ? '/some/unknown/route' : '/proxy/chat/completions';
        expect((await spending().call(spending().on(at), key, BODY, { path })).status).toBe(412);
      }
      expect(stub().requests.length).toBe(before);
    });
  });

  it('bud-14: a batch is charged once, at its discount, when its results are read, however often and on any gateway', async () => {
    const key = await spending().newKey(100);
    const requests = 1_000;
    const batch = { ...responseFor(requests * TOKENS), id: `batch_${key.id}`, object: 'batch' };
    for (const status of ['in_progress', 'completed', 'completed']) {
      stub().respondJson({ ...batch, status, ...(status === 'in_progress' && { usage: null }) });
      for (const gateway of spending().gateways) {
        const response = await fetch(`${gateway.baseUrl}/batches/${batch.id}`, {
          headers: { 'x-gw-api-key': key.key, 'x-gw-provider': '@main' },
        });
        expect(response.status).toBe(200);
        await response.arrayBuffer();
      }
    }
    await eventually(async () => (await spending().logged(key)).length === 9, PATIENCE);
    await spending().agreeOn(key, (requests * CENT) / 2);
  });

  it('[LIM-04] [REL-07 in part] bud-15, bud-16: a raised or lowered limit takes effect on every gateway', async () => {
    const key = await spending().newKey(1);
    const set = (limit: number): Promise<unknown> =>
      bench().manage('PUT', `/api-keys/${key.id}`, {
        key: bench().adminKey,
        body: { usage_limits: { credit_limit: limit } },
      });
    const all = async (status: number): Promise<void> => {
      for (const gateway of spending().gateways) {
        await eventually(
          async () => (await spending().call(gateway, key, bodyFor(10))).status === status,
          PATIENCE,
        );
      }
    };
    await all(412);
    await set(100);
    await all(200);
    await set(1);
    await all(412);
  });

  it('bud-24: absurd usage counts are charged as an estimate, and lower no counter', async () => {
    const key = await spending().newKey(100);
    let before = 0;
    for (const completion of [-5, 1e308, '5']) {
      const usage = { prompt_tokens: 0, completion_tokens: completion };
      stub().respondJson({ ...responseFor(), usage });
      expect((await spending().call(spending().on(0), key)).status).toBe(200);
      await eventually(async () => (await spending().counted(key)) > before, PATIENCE);
      before = await spending().counted(key);
    }
    const logs = await eventually(async () => {
      const found = await spending().logged(key);
      return found.length === 3 && found;
    }, PATIENCE);
    expect(logs.filter(({ cost_exact: cost }) => Number(cost) > 0)).toHaveLength(3);
    expect(new Set(logs.map(({ priced }) => priced))).toEqual(new Set(['estimated']));
  });

  it('bud-29: a key created again under the same name inherits no usage', async () => {
    const { key, calls } = await spending().whileCountersRespond(async () => {
      const name = bench().trace('The same name');
      const first = await spending().newKey(1, { name });
      await used(first, 0, 1, bodyFor(100));
      await bench().manage('DELETE', `/api-keys/${first.id}`, { key: bench().adminKey });
      const second = await spending().newKey(2, { name });
      return { key: second, calls: await used(second, 0, 2, bodyFor(100)) };
    });
    await spending().agreeOn(key, calls * 100 * CENT);
  });
});
