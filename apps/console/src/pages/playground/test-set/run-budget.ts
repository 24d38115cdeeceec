/**
 * Budget of a run in 1e-8 USD. The estimated cost of a request is held before it is sent and
 * settled after it, so that parallel requests exceed the budget at most by the error of their
 * estimates.
 */
export class RunBudget {
  private settled = 0n;
  private held = 0n;
  private open = 0;
  private waiting: (() => void)[] = [];

  constructor(private readonly limit: bigint) {}

  get spent(): bigint {
    return this.settled;
  }

  /**
   * Holds an amount, or the whole rest of the budget when `amountOf` returns null. Resolves to the
   * held amount. When the budget does not suffice, waits for running requests, which may cost less
   * than they hold, and computes the amount again. Resolves to null when the budget does not
   * suffice even then.
   */
  async hold(amountOf: () => bigint | null): Promise<bigint | null> {
    for (;;) {
      const amount = amountOf() ?? this.limit - this.settled - this.held;
      if (this.pays(amount, amountOf() === null)) {
        this.held += amount;
        this.open += 1;
        return amount;
      }
      if (this.open === 0) return null;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** Releases a hold and adds the actual cost of the request. */
  settle(amount: bigint, cost: bigint): void {
    this.held -= amount;
    this.open -= 1;
    this.settled += cost;
    const woken = this.waiting;
    this.waiting = [];
    for (const wake of woken) wake();
  }

  private pays(amount: bigint, isAlone: boolean): boolean {
    if (this.settled >= this.limit || (isAlone && this.open > 0)) return false;
    return this.settled + this.held + amount <= this.limit;
  }
}
