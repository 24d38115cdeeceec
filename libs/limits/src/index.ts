export {
  budgetBucket,
  concurrencyBucket,
  isBudget,
  rateBucket,
  type Bucket,
  type BucketOwner,
  type CounterWindow,
  type Measure,
} from './bucket';
export {
  type Claim,
  type CounterAnswer,
  type CounterReading,
  type CounterStatement,
  type CounterStore,
  type Exchange,
  type ExchangeAnswer,
  type LedgerStore,
} from './counter-store';
export { denialError, denialRpcError, denialState, type Denial } from './denial';
export { type Crossing, type LedgerSettings, type Outcome } from './lane-parts';
export { Ledger, type LedgerHealth, type LedgerOptions } from './ledger';
export { MemoryCounterStore } from './memory-counter-store';
export {
  InProcessRateCounters,
  rateBuckets,
  type RateBucket,
  type RateCounters,
  type RateVerdict,
} from './rate-limiter';
export { RedisCounterStore, type RedisScripts } from './redis-counter-store';
export { type Charge, type Estimate, type Reservation } from './reservation';
export { boundariesAround, midnightOf, nextBoundary, type ResetSchedule } from './reset-schedule';
export { WINDOW_MS, windowStart } from './window';
