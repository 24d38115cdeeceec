/** Injection tokens of the worker's providers that are not classes. */
export const LOG = Symbol('log');
export const TLS = Symbol('tls');
export const STORES = Symbol('log stores');
export const CLICKHOUSE = Symbol('analytics in ClickHouse, or null');
export const LOG_STREAM = Symbol('log stream consumer, or null without Redis');
export const PRICES = Symbol('configured prices, or null without a source');
export const TRACES = Symbol('export of spans, or null without a receiver');
