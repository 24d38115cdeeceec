import { RunBudget } from './run-budget';

describe('The budget of a run', () => {
  it('holds what requests may cost, and lets no more go', async () => {
    const budget = new RunBudget(100n);
    expect(await budget.hold(60n)).toBe(true);
    const second = budget.hold(60n);
    budget.settle(60n, 30n);
    expect(await second).toBe(true);
    budget.settle(60n, 60n);
    expect(budget.spent).toBe(90n);
    expect(await budget.hold(11n)).toBe(false);
    expect(await budget.hold(10n)).toBe(true);
  });

  it('ends when it is spent, also for requests without an estimate', async () => {
    const budget = new RunBudget(100n);
    expect(await budget.hold(0n)).toBe(true);
    budget.settle(0n, 130n);
    expect(await budget.hold(0n)).toBe(false);
  });

  it('is not whole while others hold a part of it', async () => {
    const budget = new RunBudget(100n);
    await budget.hold(100n);
    const [second, third] = [budget.hold(40n), budget.hold(40n)];
    budget.settle(100n, 50n);
    expect(await second).toBe(true);
    budget.settle(40n, 40n);
    expect(await third).toBe(false);
  });
});
