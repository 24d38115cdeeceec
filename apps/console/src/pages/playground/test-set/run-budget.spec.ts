import { RunBudget } from './run-budget';

describe('The budget of a run', () => {
  const of = (amount: bigint | null) => (): bigint | null => amount;

  it('holds what requests may cost, and lets no more go', async () => {
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

  it('ends when it is spent, also for requests that are free', async () => {
    const budget = new RunBudget(100n);
    expect(await budget.hold(of(0n))).toBe(0n);
    budget.settle(0n, 130n);
    expect(await budget.hold(of(0n))).toBeNull();
  });

  it('is not whole while others hold a part of it', async () => {
    const budget = new RunBudget(100n);
    await budget.hold(of(100n));
    const [second, third] = [budget.hold(of(40n)), budget.hold(of(40n))];
    budget.settle(100n, 50n);
    expect(await second).toBe(40n);
    budget.settle(40n, 40n);
    expect(await third).toBeNull();
  });

  it('holds all of it for a request of unknown cost, and computes the next amounts when that is known', async () => {
    const budget = new RunBudget(100n);
    let known: bigint | null = null;
    const [first, second] = [budget.hold(() => known), budget.hold(() => known)];
    expect(await first).toBe(100n);
    known = 30n;
    budget.settle(100n, 30n);
    expect(await second).toBe(30n);
  });
});
