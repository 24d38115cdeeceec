export { ClickHouseAnalytics } from './clickhouse-analytics';
export { ClickHouseRefusal } from './clickhouse-http';
export type { FactRow } from './facts-table';
export { ANALYTICS_STORE_SETTINGS, type AnalyticsStoreSettings } from './settings';
