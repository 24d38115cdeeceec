/**
 * Money that a run may spend, in 1e-8 USD. What a request may cost is held before it is sent and settled after it, so that requests at
 * the same time cannot spend more together than estimates are wrong by.
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
   * Holds an amount, or all that is left where it is null, and resolves to it. Waits for requests that are in progress, which may cost
   * less than they hold; the amount is computed again then. Resolves to null where the budget does not pay it even so.
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

  /** Ends a hold; `cost` is what the request has cost. */
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
