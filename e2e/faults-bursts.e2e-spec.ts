import { eventually, startRedis } from '@gw/testing';
import { answerFor, CENT, PATIENCE, sells, TOKENS, withSpending } from './spec-support/spending';
import { withProduct, type NewKey } from './spec-support/workbench';

jest.setTimeout(180_000);

const SECOND_MS = 1_000;
const AT_ONCE = 80;
const COVERED = 100;

describe('bursts over three gateway processes', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  const bench = withProduct(async () => {
    redis = await startRedis();
    return { redisUrl: redis.url };
  });
  afterAll(() => redis.stop());
  const { spending, stub } = withSpending(bench, () => redis.url);

  /** Reserves twice what it uses, where nothing is learnt of the model's answers yet, or the limit is strict. */
  const half = { model: 'gpt-4o', max_tokens: 2 * TOKENS, messages: [{ role: 'user', content: 'Hi' }] };
  const burst = async (key: NewKey): Promise<number> => {
    const calls = spending().gateways.flatMap((gateway) =>
      Array.from({ length: AT_ONCE }, () => spending().call(gateway, key, half)),
    );
    return (await Promise.all(calls)).filter(({ status }) => status === 200).length;
  };

  it.each([
    ['strict', COVERED],
    ['standard', COVERED + 1],
  ])(
    '[LIM-06] a %s limit of 100 calls lets no more than %i of 240 at once pass, and what they give back is used again',
    async (enforcement, most) => {
      stub().answerJson(answerFor());
      const key = await bench().newKey({ usage_limits: { credit_limit: 1, enforcement } });
      let accepted = await burst(key);
      expect(accepted).toBeLessThanOrEqual(most);
      expect(accepted).toBeGreaterThan(0);
      // A strict limit cannot hold a reservation of two cents and its input in the last two.
      const all = enforcement === 'strict' ? COVERED - 2 : COVERED;
      await eventually(async () => (accepted += await spending().load(key, 6, 2, half)) >= all, PATIENCE);
      accepted += await burst(key);
      expect(accepted).toBeLessThanOrEqual(most);
      await spending().agreeOn(key, accepted * CENT);
    },
  );

  it.each([0.9, 1, 2])(
    'bud-26: at %p times the allowed rate, accepted is at least 95 %% of the allowance and at most one more in a window',
    async (factor) => {
      stub().answer(sells);
      const allowed = 50;
      const key = await bench().newKey({ rate_limits: [{ type: 'requests', unit: 'rps', value: allowed }] });
      // Known to every gateway before it is measured.
      for (const gateway of spending().gateways) await spending().call(gateway, key);
      const windowNow = (): number => Math.floor(Date.now() / SECOND_MS);
      const first = windowNow() + 1;
      await eventually(() => windowNow() >= first, { everyMs: 1 });
      const accepted = new Map<number, number>();
      // Calls that began and ended in one window: on a busy machine fewer than were due in it.
      const judged = new Map<number, number>();
      const count = (counts: Map<number, number>, window: number): unknown =>
        counts.set(window, (counts.get(window) ?? 0) + 1);
      let total = 0;
      let offered = 0;
      const started = performance.now();
      const waiting: Promise<void>[] = [];
      const call = async (at: number): Promise<void> => {
        const asked = windowNow();
        const { status } = await spending().call(spending().on(at), key);
        const answered = windowNow();
        if (answered === asked) count(judged, asked);
        if (status !== 200) return;
        total += 1;
        if (answered === asked) count(accepted, asked);
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
      const windows = windowNow() - first + 1;
      expect(total).toBeLessThanOrEqual(windows * (allowed + 1));
      for (const number of accepted.values()) expect(number).toBeLessThanOrEqual(allowed + 1);
      const due = [...judged.values()].reduce((sum, number) => sum + Math.min(allowed, number), 0);
      expect(total).toBeGreaterThanOrEqual(0.95 * due - EDGES * windows);
    },
  );
});

/** Of calls at the edges of a window that were counted in the other one. */
const EDGES = 4;
