export { ClickHouseAnalytics } from './clickhouse-analytics';
export type { FactRow } from './facts-table';
export { ANALYTICS_STORE_SETTINGS, type AnalyticsStoreSettings } from './settings';
