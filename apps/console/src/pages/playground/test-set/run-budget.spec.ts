import { RunBudget } from './run-budget';

describe('RunBudget', () => {
  const of = (amount: bigint | null) => (): bigint | null => amount;

  it('holds the estimated costs and refuses a request beyond the budget', async () => {
    const budget = new RunBudget(100n);
    expect(await budget.hold(of(60n))).toBe(60n);
    const second = budget.hold(of(60n));
    budget.settle(60n, 30n);
    expect(await second).toBe(60n);
    budget.settle(60n, 60n);
    expect(budget.spent).toBe(90n);
    expect(await budget.hold(of(11n))).toBeNull();
    expect(await budget.hold(of(10n))).toBe(10n);
  });

  it('refuses every request once it is spent, even a free one', async () => {
    const budget = new RunBudget(100n);
    expect(await budget.hold(of(0n))).toBe(0n);
    budget.settle(0n, 130n);
    expect(await budget.hold(of(0n))).toBeNull();
  });

  it('lets requests wait while others hold a part of it', async () => {
    const budget = new RunBudget(100n);
    await budget.hold(of(100n));
    const [second, third] = [budget.hold(of(40n)), budget.hold(of(40n))];
    budget.settle(100n, 50n);
    expect(await second).toBe(40n);
    budget.settle(40n, 40n);
    expect(await third).toBeNull();
  });

  it('holds everything for a request of unknown cost, and recomputes the next amount afterwards', async () => {
    const budget = new RunBudget(100n);
    let known: bigint | null = null;
    const [first, second] = [budget.hold(() => known), budget.hold(() => known)];
    expect(await first).toBe(100n);
    known = 30n;
    budget.settle(100n, 30n);
    expect(await second).toBe(30n);
  });
});
