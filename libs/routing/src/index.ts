export { Breaker, isBreakerFailure, type BreakerPhase } from './breaker';
export {
  HedgeBudgets,
  RetryBudget,
  RetryBudgets,
  type HedgeCounts,
  type HedgeOffer,
  type RetryBudgetOptions,
} from './budgets';
export type {
  CompiledBreaker,
  CompiledCache,
  CompiledConfig,
  CompiledEmbeddings,
  CompiledTarget,
} from './compile/compiled';
export { CONFIG_SCHEMA, compileConfig, configLanguage, parseConfig, validateConfig } from './config-language';
export { matches } from './evaluate';
export { TargetHealth, type Mark, type TargetHealthOptions } from './health';
export { endpointKey, unitHash } from './identity';
export { LocalBreakerStore } from './local-breaker-store';
export { applyParams, ParamRules, type JsonObject } from './params';
export { createPlan, RoutingCursor } from './plan';
export { endsHedge, WAIT_BUDGET_MS } from './retry';
export { simulate, type SimulatedRequest, type Simulation, type SimulationOptions } from './simulate';
export { createRoutingState, type RoutingStateOptions } from './state';
export { TargetStatistics } from './statistics';
export { STRATEGIES } from './strategies';
export { defineStrategy, type ChoosingCursor, type Frame, type Strategy } from './strategy';
export type {
  AttemptFailure,
  AttemptOutcome,
  HedgeReport,
  RequestFacts,
  RoutingRuntime,
  RoutingState,
  RoutingStep,
  StopReason,
} from './types';
export { demandsOf, type Demands } from './demands';
