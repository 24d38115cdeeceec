import type { CompiledTarget } from './compile/compiled';
import { compileConfig } from './config-language';
import { HedgeBudgets, RetryBudget, type HedgeOffer } from './index';

const START_MS = 1_000_000;

describe('RetryBudget', () => {
  /**
   * Returns how many retries are granted in `seconds` when each of `requests` per second wants
   * `retries`.
   */
  function storm(budget: RetryBudget, seconds: number, requests: number, retries: number): number {
    let sent = 0;
    for (let request = 0; request < seconds * requests; request++) {
      budget.earn();
      const nowMs = START_MS + (request * 1000) / requests;
      for (let retry = 0; retry < retries; retry++) if (budget.take(nowMs)) sent++;
    }
    return sent;
  }

  it('grants at most a fifth of the requests, ten per second and a hundred saved retries under load', () => {
    const sent = storm(new RetryBudget(), 60, 1000, 5);
    expect(sent).toBeGreaterThan(60_000 * 0.2);
    expect(sent).toBeLessThanOrEqual(60_000 * 0.2 + 60 * 10 + 100);
  });

  it('grants every retry when there are few requests', () => {
    expect(storm(new RetryBudget(), 60, 2, 5)).toBe(600);
  });

  it('saves no more than its maximum, however long it is quiet', () => {
    const budget = new RetryBudget({ savedMax: 3, floorPerSecond: 0, ratio: 1 });
    for (let request = 0; request < 1000; request++) budget.earn();
    expect([1, 2, 3, 4].map(() => budget.take(START_MS))).toEqual([true, true, true, false]);
  });

  it('grants no additional retry when the clock is set back', () => {
    const budget = new RetryBudget({ savedMax: 1, floorPerSecond: 1, ratio: 0 });
    expect([START_MS, START_MS - 5000, START_MS - 4500].map((nowMs) => budget.take(nowMs))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('HedgeBudgets', () => {
  const target = compileConfig({}).targets[0] as CompiledTarget;
  const offer = (price = 1): HedgeOffer => ({ target, delayMs: 1, payer: 'e', price });

  it('limits second requests to hedge_percentage of the first ones', () => {
    const budgets = new HedgeBudgets();
    let sent = 0;
    for (let request = 0; request < 10_000; request++) {
      budgets.earn('e', 8);
      if (budgets.take(offer())) sent++;
    }
    expect(sent).toBeGreaterThanOrEqual(799);
    expect(sent).toBeLessThanOrEqual(801);
    expect(budgets.totals()).toMatchObject({ offered: 10_000, made: sent });
  });

  it('charges a second request by its price', () => {
    const budgets = new HedgeBudgets();
    let sent = 0;
    for (let request = 0; request < 10_000; request++) {
      budgets.earn('e', 8);
      if (budgets.take(offer(4))) sent++;
    }
    expect(sent).toBe(200);
  });

  it('has a budget for each endpoint, and drops the oldest one beyond its capacity', () => {
    const budgets = new HedgeBudgets(2);
    for (const payer of ['a', 'b', 'c']) budgets.earn(payer, 8);
    const taken = ['a', 'b', 'c'].map((payer) => budgets.take({ ...offer(), payer }));
    expect(taken).toEqual([false, true, true]);
  });

  it('counts hedges that the second request won, and calls whose response was not used', () => {
    const budgets = new HedgeBudgets();
    budgets.settled(true);
    budgets.settled(false);
    expect(budgets.totals()).toEqual({ offered: 0, made: 0, won: 1, wasted: 2 });
  });
});
