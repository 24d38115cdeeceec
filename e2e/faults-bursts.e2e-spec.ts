import { eventually, startRedis } from '@gw/testing';
import { RealtimeSession, startRealtimeProvider } from './spec-support/realtime';
import { responseFor, bodyFor, CENT, PATIENCE, sells, TOKENS, withSpending } from './spec-support/spending';
import { withProduct, type NewKey } from './spec-support/workbench';

jest.setTimeout(600_000);

const SECOND_MS = 1_000;
const AT_ONCE = 80;
const COVERED = 100;
/** Price of a realtime response: text at 16 USD per million tokens. */
const RESPONSE_CENTS = 20;
const RESPONSE_TOKENS = 12_500;
/** One input token at 0.10 USD per million, in 1e-8 USD: a ten-millionth of a dollar. */
const CHEAP = { model: 'gpt-4.1-nano', messages: [{ role: 'user', content: 'Hi' }] };
const CHEAP_TOKENS = 10;
const MILLIONTH = CENT / 10_000;

describe('bursts over three gateway processes', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const bench = withProduct(async () => {
    redis = await startRedis();
    return { redisUrl: redis.url };
  });
  afterAll(() => redis.stop());
  const { spending, stub } = withSpending(bench, () => redis.url);

  /**
   * A request that reserves twice its usage if the model's output length is unknown, or under a
   * strict limit.
   */
  const halfUsed = { model: 'gpt-4o', max_tokens: 2 * TOKENS, messages: [{ role: 'user', content: 'Hi' }] };
  const burst = async (key: NewKey): Promise<number> => {
    const calls = spending().gateways.flatMap((gateway) =>
      Array.from({ length: AT_ONCE }, () => spending().call(gateway, key, halfUsed)),
    );
    return (await Promise.all(calls)).filter(({ status }) => status === 200).length;
  };

  it.each([
    ['strict', COVERED],
    ['standard', COVERED + 1],
  ])(
    '[LIM-06] a %s limit of 100 calls admits at most %i of 240 concurrent calls, and returned reservations are used again',
    async (enforcement, most) => {
      stub().respondJson(responseFor());
      const { key, calls } = await spending().whileCountersRespond(async () => {
        const made = await bench().newKey({ usage_limits: { credit_limit: 1, enforcement } });
        let accepted = await burst(made);
        expect(accepted).toBeLessThanOrEqual(most);
        expect(accepted).toBeGreaterThan(0);
        // A strict limit cannot fit a reservation of two cents and its input into the last two cents.
        const all = enforcement === 'strict' ? COVERED - 2 : COVERED;
        await eventually(
          async () => (accepted += await spending().load(made, 6, 2, { body: halfUsed })) >= all,
          PATIENCE,
        );
        accepted += await burst(made);
        expect(accepted).toBeLessThanOrEqual(most);
        return { key: made, calls: accepted };
      });
      await spending().agreeOn(key, calls * CENT);
    },
  );

  /** Calls made at a rate for five seconds, and their numbers by second. */
  interface CallsAtRate {
    readonly windows: number;
    readonly total: number;
    readonly accepted: ReadonlyMap<number, number>;
    /** Calls that began and ended in one second; on a busy machine these are fewer than were sent. */
    readonly judged: ReadonlyMap<number, number>;
  }

  /** Calls with a new key that allows so many calls a second, at a multiple of this rate. */
  async function callsAt(allowed: number, factor: number): Promise<CallsAtRate> {
    const key = await bench().newKey({ rate_limits: [{ type: 'requests', unit: 'rps', value: allowed }] });
    // Every gateway knows the key before the measurement.
    for (const gateway of spending().gateways) await spending().call(gateway, key);
    const windowNow = (): number => Math.floor(Date.now() / SECOND_MS);
    const first = windowNow() + 1;
    await eventually(() => windowNow() >= first, { everyMs: 1 });
    const accepted = new Map<number, number>();
    const judged = new Map<number, number>();
    const count = (counts: Map<number, number>, window: number): unknown =>
      counts.set(window, (counts.get(window) ?? 0) + 1);
    let total = 0;
    let offered = 0;
    const started = performance.now();
    const waiting: Promise<void>[] = [];
    const call = async (at: number): Promise<void> => {
      const requested = windowNow();
      const { status } = await spending().call(spending().on(at), key);
      const responded = windowNow();
      if (responded === requested) count(judged, requested);
      if (status !== 200) return;
      total += 1;
      if (responded === requested) count(accepted, requested);
    };
    await eventually(
      () => {
        const due = Math.floor(((performance.now() - started) * allowed * factor) / SECOND_MS);
        for (; offered < due; offered += 1) waiting.push(call(offered));
        return performance.now() - started > 5_000;
      },
      { ...PATIENCE, everyMs: 2 },
    );
    await Promise.all(waiting);
    return { windows: windowNow() - first + 1, total, accepted, judged };
  }

  it.each([0.9, 1, 2])(
    'bud-26: at %p times the allowed rate, at least 95 %% of the allowance and at most one extra call per window are accepted',
    async (factor) => {
      stub().respond(sells);
      const allowed = 50;
      const until = Date.now() + PATIENCE.timeoutMs;
      for (;;) {
        const { windows, total, accepted, judged } = await spending().whileCountersRespond(() =>
          callsAt(allowed, factor),
        );
        expect(total).toBeLessThanOrEqual(windows * (allowed + 1));
        for (const number of accepted.values()) expect(number).toBeLessThanOrEqual(allowed + 1);
        // A gateway that gets no processor time keeps a lease that it does not use, so one run of
        // several has to reach the allowance.
        const due = [...judged.values()].reduce((sum, number) => sum + Math.min(allowed, number), 0);
        const least = 0.95 * due - EDGES * windows;
        if (total < least && Date.now() < until) continue;
        expect(total).toBeGreaterThanOrEqual(least);
        return;
      }
    },
  );

  it('bud-13: a realtime session is closed with 1008 and logged after the response that reaches the limit, even if other calls used the rest', async () => {
    stub().respond(sells);
    const provider = await startRealtimeProvider(RESPONSE_TOKENS);
    await bench().provider({ slug: 'voice', type: 'openai', stub: provider });
    const key = await spending().whileCountersRespond(async () => {
      const made = await spending().newKey(1);
      for (const at of [1, 2, 1, 2, 1]) {
        expect((await spending().call(spending().on(at), made, bodyFor(10))).status).toBe(200);
      }
      return made;
    });
    await spending().agreeOn(key, 50 * CENT);
    const session = await RealtimeSession.open(spending().on(0).baseUrl, key.key);
    if (typeof session === 'number') throw new Error(`The session was refused: ${String(session)}`);
    let cents = 50;
    while (cents < 100) {
      expect(session.closeCode).toBeNull();
      await session.respond();
      cents += RESPONSE_CENTS;
      await eventually(async () => (await spending().counted(key)) === cents * CENT, PATIENCE);
    }
    await eventually(() => session.closeCode !== null, PATIENCE);
    expect(session.closeCode).toBe(1008);
    expect(session.messages).toBe(3);
    for (const gateway of spending().gateways) {
      const refused = async () => (await RealtimeSession.open(gateway.baseUrl, key.key)) === 412;
      await eventually(refused, PATIENCE);
    }
    await spending().agreeOn(key, cents * CENT);
    const sessions = (await spending().logged(key)).filter(({ outcome }) => outcome === 'denied');
    expect(sessions.map(({ cost_exact: cost }) => Number(cost)).sort((one, other) => other - one)[0]).toBe(
      3 * RESPONSE_CENTS * CENT,
    );
    await provider.stop();
  });

  it('bud-25: calls of a millionth of a dollar add up exactly in counters, log and record', async () => {
    const usage = { prompt_tokens: CHEAP_TOKENS, completion_tokens: 0, total_tokens: CHEAP_TOKENS };
    stub().respondJson({ ...responseFor(), model: CHEAP.model, usage });
    const key = await spending().whileCountersRespond(async () => {
      const made = await spending().newKey(1);
      expect(await spending().load(made, 300, 20, { body: CHEAP })).toBe(300);
      return made;
    });
    await spending().agreeOn(key, 300 * MILLIONTH);
  });

  it('bud-28: a cost policy and a request policy on one key are both enforced, and a refusal by one uses nothing of the other', async () => {
    stub().respond(sells);
    await spending().whileCountersRespond(async () => {
      const key = await bench().newKey();
      const common = {
        conditions: [{ key: 'api_key', value: key.id }],
        group_by: [{ key: 'api_key' }],
        workspace_id: bench().product.credentials.workspace_id,
      };
      const manage = (method: string, path: string, body: object): Promise<{ id: string }> =>
        bench().manage(method, `/policies${path}`, { key: bench().adminKey, body });
      const ofRequests = { ...common, name: `Calls ${key.id}`, type: 'requests', unit: 'rpw', value: 30 };
      await manage('POST', '/rate-limits', ofRequests);
      const spend = { ...common, name: `Spend ${key.id}`, type: 'cost', credit_limit: 0.2 };
      const { id } = await manage('POST', '/usage-limits', spend);
      const bothAreKnown = async (creditLimit: number): Promise<void> => {
        for (const { baseUrl } of spending().gateways) {
          await eventually(async () => {
            const response = await fetch(`${baseUrl}/me/limits`, { headers: { 'x-gw-api-key': key.key } });
            const { data } = (await response.json()) as { data: { limit: number }[] };
            expect(data.map(({ limit }) => limit).sort((one, other) => one - other)).toEqual(
              [30, creditLimit].sort((one, other) => one - other),
            );
            return true;
          }, PATIENCE);
        }
      };
      const all = async (before: number, calls: number): Promise<number> => {
        let accepted = before + (await spending().load(key, 60, 20));
        await eventually(async () => (accepted += await spending().load(key, 3, 1)) >= calls, PATIENCE);
        return accepted;
      };
      await bothAreKnown(0.2);
      const bySpend = await all(0, 20);
      expect(bySpend).toBeLessThanOrEqual(21);
      await manage('PUT', `/usage-limits/${id}`, { credit_limit: 100 });
      await bothAreKnown(100);
      // The budget has refused dozens of calls meanwhile, and none of them used one of the thirty
      // requests.
      expect(await all(bySpend, 30)).toBe(30);
      expect(await spending().load(key, 60, 20)).toBe(0);
    });
  });
});

/** Number of calls at the edges of a window that may count in the other window. */
const EDGES = 4;
