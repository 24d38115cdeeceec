import type { CompiledTarget } from '@gw/config-schema';
import { compileConfig } from './config-language';
import { HedgeBudgets, RetryBudget, type HedgeOffer } from './index';

const T = 1_000_000;

describe('RetryBudget', () => {
  /** Retries made in `seconds` of `requests` a second, of which every one wants `retries`. */
  function storm(budget: RetryBudget, seconds: number, requests: number, retries: number): number {
    let made = 0;
    for (let request = 0; request < seconds * requests; request++) {
      budget.earn();
      const nowMs = T + (request * 1000) / requests;
      for (let retry = 0; retry < retries; retry++) if (budget.take(nowMs)) made++;
    }
    return made;
  }

  it('keeps a storm from multiplying: a fifth of the requests, ten a second and a hundred that were saved', () => {
    const made = storm(new RetryBudget(), 60, 1000, 5);
    expect(made).toBeGreaterThan(60_000 * 0.2);
    expect(made).toBeLessThanOrEqual(60_000 * 0.2 + 60 * 10 + 100);
  });

  it('lets every retry of a quiet process through', () => {
    expect(storm(new RetryBudget(), 60, 2, 5)).toBe(600);
  });

  it('saves no more than it may, however long it is quiet', () => {
    const budget = new RetryBudget({ savedMax: 3, floorPerSecond: 0, ratio: 1 });
    for (let request = 0; request < 1000; request++) budget.earn();
    expect([1, 2, 3, 4].map(() => budget.take(T))).toEqual([true, true, true, false]);
  });

  it('gains nothing from a clock that is set back', () => {
    const budget = new RetryBudget({ savedMax: 1, floorPerSecond: 1, ratio: 0 });
    expect([T, T - 5000, T - 4500].map((nowMs) => budget.take(nowMs))).toEqual([true, false, false]);
  });
});

describe('HedgeBudgets', () => {
  const target = compileConfig({}).targets[0] as CompiledTarget;
  const offer = (price = 1): HedgeOffer => ({ target, delayMs: 1, payer: 'e', price });

  it('lets second requests cost no more than their share, and a few that were saved', () => {
    const budgets = new HedgeBudgets();
    let made = 0;
    for (let request = 0; request < 10_000; request++) {
      budgets.earn('e', 8);
      if (budgets.take(offer())) made++;
    }
    expect(made).toBeGreaterThanOrEqual(799);
    expect(made).toBeLessThanOrEqual(801);
    expect(budgets.totals()).toMatchObject({ offered: 10_000, made });
  });

  it('counts a second request at what it costs', () => {
    const budgets = new HedgeBudgets();
    let made = 0;
    for (let request = 0; request < 10_000; request++) {
      budgets.earn('e', 8);
      if (budgets.take(offer(4))) made++;
    }
    expect(made).toBe(200);
  });

  it('keeps endpoints apart and no more than 10,000 of them', () => {
    const budgets = new HedgeBudgets(2);
    for (const payer of ['a', 'b', 'c']) budgets.earn(payer, 8);
    const taken = ['a', 'b', 'c'].map((payer) => budgets.take({ ...offer(), payer }));
    expect(taken).toEqual([false, true, true]);
  });

  it('tells what was won and what was wasted', () => {
    const budgets = new HedgeBudgets();
    budgets.settled(true);
    budgets.settled(false);
    expect(budgets.totals()).toEqual({ offered: 0, made: 0, won: 1, wasted: 2 });
  });
});
