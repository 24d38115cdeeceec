import { HedgeBudgets, RetryBudgets, type RetryBudgetOptions } from './budgets';
import { TargetHealth, type TargetHealthOptions } from './health';
import { TargetStatistics } from './statistics';
import type { RoutingState } from './types';

export interface RoutingStateOptions extends TargetHealthOptions {
  readonly retries?: RetryBudgetOptions;
}

/** Creates an empty state, for a process or a simulation. */
export const createRoutingState = (options: RoutingStateOptions = {}): RoutingState => ({
  health: new TargetHealth(options),
  statistics: new TargetStatistics(options.capacity),
  retries: new RetryBudgets(options.retries),
  hedges: new HedgeBudgets(options.capacity),
});
