import type { ProxyEnvironment } from '@gw/outbound';
import { oneOf, optional, text, url, type Setting } from '@gw/kernel';

/** Validates a table name, which becomes a literal part of statements. */
const tableName: Setting<string> = {
  fallback: 'tollgate_requests',
  parse: (value) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(value)) throw new Error('must be a plain name');
    return value;
  },
};

/** Where analytics are stored. */
export const ANALYTICS_STORE_SETTINGS = {
  ANALYTICS_STORE: oneOf(['postgres', 'clickhouse'], 'postgres'),
  /** URL of the HTTP interface of ClickHouse. */
  ANALYTICS_STORE_ENDPOINT: optional(url({ protocols: ['http:', 'https:'] })),
  ANALYTICS_STORE_USER: text('default'),
  ANALYTICS_STORE_PASSWORD: text(''),
  ANALYTICS_STORE_DATABASE: text('default'),
  ANALYTICS_LOG_TABLE: tableName,
} as const;

export interface AnalyticsStoreSettings extends ProxyEnvironment {
  readonly ANALYTICS_STORE: 'postgres' | 'clickhouse';
  readonly ANALYTICS_STORE_ENDPOINT: string | null;
  readonly ANALYTICS_STORE_USER: string;
  readonly ANALYTICS_STORE_PASSWORD: string;
  readonly ANALYTICS_STORE_DATABASE: string;
  readonly ANALYTICS_LOG_TABLE: string;
}
