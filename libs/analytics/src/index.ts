export {
  DIMENSIONS,
  MEASURES,
  PERCENTILES,
  REQUEST_TYPES,
  VALUE_FILTERS,
  type AnalyticsQueryCase,
  type AnalyticsFilter,
  type AnalyticsRow,
  type AnalyticsScope,
  type AnalyticsStore,
  type Dimension,
  type GroupKey,
  type Measure,
  type NumberRange,
  type RequestType,
  type TimeBucket,
} from './analytics-query';
export { LATENCY_BOUNDS, LATENCY_ERROR_MAX, latencyBucket, latencyOfBucket } from './latency-scale';
export { derivedFacts, type DerivedFacts } from './request-facts';
export { RESULT_SQL } from './result-sql';
export {
  analyticsRow,
  needsMetadata,
  needsSingleRequests,
  countStatement,
  filterConditions,
  rowsStatement,
  type Bind,
  type BoundType,
  type SqlDialect,
} from './statement';
