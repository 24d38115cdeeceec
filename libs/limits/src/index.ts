export {
  budgetBucket,
  concurrencyBucket,
  isBudget,
  parseBudgetKey,
  rateBucket,
  type Bucket,
  type BucketOwner,
  type BudgetKey,
  type CounterWindow,
  type Measure,
} from './bucket';
export {
  budgetAccount,
  counterOfAccount,
  CREDIBLE_TOKENS_MAX,
  judgeUsage,
  postingsOf,
  savingPostings,
  settledOf,
  type ChargeFlag,
  type LedgerPosting,
  type Settled,
  type UsageVerdict,
} from './charge';
export {
  type Balance,
  type Claim,
  type CounterReply,
  type CounterReading,
  type CounterStatement,
  type CounterStore,
  type CounterRoundTrip,
  type CounterRoundTripReply,
  type LedgerStore,
  type DurableBalance,
} from './counter-store';
export { denialError, denialRpcError, denialState, type LimitDenial } from './denial';
export {
  BYTES_PER_TOKEN,
  createTokenEstimator,
  estimateOf,
  type ResponseSource,
  type RequestedOutput,
  type RequestSize,
  type TokenEstimate,
  type TokenEstimator,
} from './estimate';
export { BURN_WINDOW_MS, burnRatePerDay, forecastExhaustion, type RecentCharges } from './forecast';
export { periodAt, type Crossing, type LedgerSettings, type AdmissionOutcome } from './batcher-parts';
export { Ledger, type LedgerHealth, type LedgerOptions, type TrackedBudget } from './ledger';
export { MemoryCounterStore } from './memory-counter-store';
export {
  compileRatePolicy,
  compileUsagePolicy,
  policyBuckets,
  withReset,
  type CompiledPolicy,
} from './policy';
export type { PolicySubject, ToolAnnotation } from './policy-subject';
export { PolicyValues, type PolicyValuesOptions } from './policy-values';
export { HolderRegistry, type HolderRegistryOptions } from './holder-registry';
export { Reconciler, type HolderFates, type ReconcilerOptions } from './reconciler';
export { RedisCounterStore } from './redis-counter-store';
export { RedisHolderStore } from './redis-holder-store';
export { type RedisScripts } from './redis-scripts';
export { type Charge, type Estimate, type Reservation } from './reservation';
export { boundariesAround, midnightOf, nextBoundary, type ResetSchedule } from './reset-schedule';
export { WINDOW_MS } from './window';
