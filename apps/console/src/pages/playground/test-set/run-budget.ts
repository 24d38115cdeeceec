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
   * Holds an amount. Waits for requests that are under way, which may cost less than they hold. Resolves to false where the rest of the
   * budget does not pay it even then.
   */
  async hold(amount: bigint): Promise<boolean> {
    while (!this.pays(amount)) {
      if (this.open === 0) return false;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.held += amount;
    this.open += 1;
    return true;
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

  private pays(amount: bigint): boolean {
    return this.settled < this.limit && this.settled + this.held + amount <= this.limit;
  }
}
