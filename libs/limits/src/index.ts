export {
  InProcessRateCounters,
  rateBuckets,
  type RateBucket,
  type RateCounters,
  type RateVerdict,
} from './rate-limiter';
export { WINDOW_MS, windowStart } from './window';
