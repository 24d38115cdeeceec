import { HedgeBudgets, RetryBudgets, type RetryBudgetOptions } from './budgets';
import { TargetHealth, type TargetHealthOptions } from './health';
import { TargetStatistics } from './statistics';
import type { RoutingState } from './types';

export interface RoutingStateOptions extends TargetHealthOptions {
  readonly retries?: RetryBudgetOptions;
}

/** An empty state: one for a process, or one for a simulation. */
export const createRoutingState = (options: RoutingStateOptions = {}): RoutingState => ({
  health: new TargetHealth(options),
  statistics: new TargetStatistics(options.capacity),
  retries: new RetryBudgets(options.retries),
  hedges: new HedgeBudgets(options.capacity),
});
