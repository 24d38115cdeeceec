/** Injection token of the `AnalyticsStore`. */
export const ANALYTICS_STORE = Symbol('ANALYTICS_STORE');
/** Injection token of the analytics in ClickHouse, or null. */
export const CLICKHOUSE = Symbol('CLICKHOUSE');
/** Injection token of the `LogStores`. */
export const LOG_STORES = Symbol('LOG_STORES');
