import type { CompiledTarget } from './compile/compiled';
import { EndpointMap } from './endpoint-map';

export interface RetryBudgetOptions {
  /** Retries that each request earns; 0.2 when absent. */
  readonly ratio?: number;
  /** Free retries per second, so that retries work at low traffic too; 10 when absent. */
  readonly floorPerSecond?: number;
  /** Maximum number of saved retries; 100 when absent. */
  readonly savedMax?: number;
}

/**
 * Retry budget of one workspace in this process: a fifth of its requests plus ten per second.
 * When everything fails at once, providers get a fifth more requests than usual instead of several
 * times as many. Moving on to another target is not a retry.
 */
export class RetryBudget {
  private readonly ratio: number;
  private readonly floorPerMs: number;
  private readonly savedMax: number;
  private saved: number;
  private refilledMs = 0;

  constructor({ ratio = 0.2, floorPerSecond = 10, savedMax = 100 }: RetryBudgetOptions = {}) {
    this.ratio = ratio;
    this.floorPerMs = floorPerSecond / 1000;
    this.savedMax = savedMax;
    this.saved = savedMax;
  }

  /** Earns a fraction of a retry. Call it once per request. */
  earn(): void {
    const saved = this.saved + this.ratio;
    this.saved = saved < this.savedMax ? saved : this.savedMax;
  }

  /** Takes one retry; returns false when none is left. */
  take(nowMs: number): boolean {
    const elapsedMs = nowMs - this.refilledMs;
    if (elapsedMs > 0) this.saved = Math.min(this.savedMax, this.saved + elapsedMs * this.floorPerMs);
    this.refilledMs = nowMs;
    if (this.saved < 1) return false;
    this.saved--;
    return true;
  }
}

/**
 * Retry budgets by workspace, so that no workspace uses up another's. Keeps at most 10,000; beyond
 * that it drops the oldest one, whose workspace then starts with a full budget.
 */
export class RetryBudgets {
  private readonly budgets = new Map<string, RetryBudget>();

  constructor(private readonly options: RetryBudgetOptions = {}) {}

  of(workspace: string): RetryBudget {
    let budget = this.budgets.get(workspace);
    if (budget === undefined) {
      const [oldest] = this.budgets.keys();
      if (this.budgets.size >= CAPACITY && oldest !== undefined) this.budgets.delete(oldest);
      budget = new RetryBudget(this.options);
      this.budgets.set(workspace, budget);
    }
    return budget;
  }
}

/** A second request to send when the first one is slow. */
export interface HedgeOffer {
  readonly target: CompiledTarget;
  /** Milliseconds to wait for the first response. */
  readonly delayMs: number;
  /**
   * Arguments of `HedgeBudgets.take`: the endpoint that pays, and the cost of the second request
   * relative to a first one.
   */
  readonly payer: string;
  readonly price: number;
}

export interface HedgeCounts {
  /** Requests that could have been hedged. */
  readonly offered: number;
  /** Second requests that were sent. */
  readonly made: number;
  /** Second requests that responded first. */
  readonly won: number;
  /** Calls whose response was not used. */
  readonly wasted: number;
}

const SAVED_MAX = 10;
const CAPACITY = 10_000;

/**
 * Budgets of second requests by hedged endpoint. Keeps at most 10,000; beyond that the workspace
 * with the most loses its oldest one.
 */
export class HedgeBudgets {
  private readonly saved: EndpointMap<number>;
  private readonly counts = { offered: 0, made: 0, won: 0, wasted: 0 };

  constructor(capacity = CAPACITY) {
    this.saved = new EndpointMap(capacity);
  }

  /** Earns `percentage` per cent of a second request. Call it for each first request. */
  earn(payer: string, percentage: number): void {
    this.counts.offered++;
    const saved = this.saved.get(payer);
    this.saved.set(payer, Math.min(SAVED_MAX, (saved ?? 1) + percentage / 100));
  }

  /**
   * Takes the price of a second request; returns false when the budget is too small. Call it when
   * the delay has passed.
   */
  take({ payer, price }: Pick<HedgeOffer, 'payer' | 'price'>): boolean {
    const saved = this.saved.get(payer) ?? 0;
    if (saved < price) return false;
    this.saved.set(payer, saved - price);
    this.counts.made++;
    return true;
  }

  /** Counts the end of a hedge with two requests; the response of one of them was not used. */
  settled(secondWon: boolean): void {
    this.counts.wasted++;
    if (secondWon) this.counts.won++;
  }

  /** Returns the totals since the process started, for metrics. */
  totals(): HedgeCounts {
    return { ...this.counts };
  }
}
