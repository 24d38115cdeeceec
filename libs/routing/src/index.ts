export { matches } from './evaluate';
export { applyParams, type JsonObject } from './params';
export { createPlan, RoutingCursor } from './plan';
export { WAIT_BUDGET_MS } from './retry';
export { retryAfterMs } from './retry-after';
export type {
  AttemptFailure,
  AttemptOutcome,
  RequestFacts,
  RoutingRuntime,
  RoutingStep,
  StopReason,
} from './types';
