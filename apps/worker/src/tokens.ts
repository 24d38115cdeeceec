/** What the worker's providers ask each other for besides their classes. */
export const LOG = Symbol('log');
export const TLS = Symbol('tls');
export const STORES = Symbol('log stores');
export const CLICKHOUSE = Symbol('analytics in ClickHouse, or null');
export const LOG_STREAM = Symbol('log stream consumer, or null without Redis');
export const PRICES = Symbol('configured prices, or null without a source');
export const TRACES = Symbol('export of spans, or null without a receiver');
