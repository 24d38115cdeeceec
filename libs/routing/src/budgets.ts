import type { CompiledTarget } from '@gw/config-schema';
import { EndpointMap } from './endpoint-map';

export interface RetryBudgetOptions {
  /** Retries that each request pays for; 0.2 when absent. */
  readonly ratio?: number;
  /** Retries that are free each second, so that few requests can be repeated too; 10 when absent. */
  readonly floorPerSecond?: number;
  /** Retries that can be saved up; 100 when absent. */
  readonly savedMax?: number;
}

/**
 * Retries of one workspace in this process: a fifth of its requests and ten each second. When everything fails at once, providers get a
 * fifth more requests than usual, not several times as many. Moving on to another target is no retry.
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

  /** Called once for each request. */
  earn(): void {
    const saved = this.saved + this.ratio;
    this.saved = saved < this.savedMax ? saved : this.savedMax;
  }

  /** Whether one more retry may be made; takes it. */
  take(nowMs: number): boolean {
    const elapsedMs = nowMs - this.refilledMs;
    if (elapsedMs > 0) this.saved = Math.min(this.savedMax, this.saved + elapsedMs * this.floorPerMs);
    this.refilledMs = nowMs;
    if (this.saved < 1) return false;
    this.saved--;
    return true;
  }
}

/** The retries of each workspace, so that none of them uses up another's. At most 10,000; then the one known longest starts anew. */
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

/** A second request that may be made if the first takes long. */
export interface HedgeOffer {
  readonly target: CompiledTarget;
  /** To be waited for the first request's answer, milliseconds. */
  readonly delayMs: number;
  /** For `HedgeBudgets.take`: who pays, and how much of a first request the second one costs. */
  readonly payer: string;
  readonly price: number;
}

export interface HedgeCounts {
  /** Requests that a second one could have followed. */
  readonly offered: number;
  readonly made: number;
  /** Second requests that answered first. */
  readonly won: number;
  /** Calls whose answer was not used. */
  readonly wasted: number;
}

const SAVED_MAX = 10;
const CAPACITY = 10_000;

/** What second requests may cost, for each endpoint that is hedged. At most 10,000; then one of the workspace with the most starts anew. */
export class HedgeBudgets {
  private readonly saved: EndpointMap<number>;
  private readonly counts = { offered: 0, made: 0, won: 0, wasted: 0 };

  constructor(capacity = CAPACITY) {
    this.saved = new EndpointMap(capacity);
  }

  /** Called for each first request: it pays for `percentage` per cent of a second one. */
  earn(payer: string, percentage: number): void {
    this.counts.offered++;
    const saved = this.saved.get(payer);
    this.saved.set(payer, Math.min(SAVED_MAX, (saved ?? 1) + percentage / 100));
  }

  /** Whether the second request may be made; checked when its delay is over. Takes what it costs. */
  take({ payer, price }: Pick<HedgeOffer, 'payer' | 'price'>): boolean {
    const saved = this.saved.get(payer) ?? 0;
    if (saved < price) return false;
    this.saved.set(payer, saved - price);
    this.counts.made++;
    return true;
  }

  settled(secondWon: boolean): void {
    this.counts.wasted++;
    if (secondWon) this.counts.won++;
  }

  /** Since the process started, for metrics. */
  totals(): HedgeCounts {
    return { ...this.counts };
  }
}
