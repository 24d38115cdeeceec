/** Injection token of the `AnalyticsStore`. */
export const ANALYTICS_STORE = Symbol('ANALYTICS_STORE');
export const CLICKHOUSE = Symbol('analytics in ClickHouse, or null');
