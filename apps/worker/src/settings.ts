import { ANALYTICS_STORE_SETTINGS } from '@gw/clickhouse';
import { DATABASE_TLS_SETTINGS } from '@gw/entities';
import { OBJECT_STORE_SETTINGS } from '@gw/object-store';
import {
  apiKeyPrefix,
  feature,
  integer,
  MASTER_KEY_SETTINGS,
  oneOf,
  optional,
  port,
  readSettings,
  secret,
  text,
  trustedHosts,
  url,
  type MasterKeys,
  sealingKeyring,
  type Keyring,
} from '@gw/kernel';
import { dnsServers } from '@gw/federation';
import { MAIL_SETTINGS } from '@gw/mail';
import { folder, PROXY_SETTINGS } from '@gw/outbound';
import { modelConfigSettings } from '@gw/pricing';
import { SHUTDOWN_SETTINGS } from '@gw/web';

export const WORKER_SETTINGS = {
  DATABASE_URL: url({ protocols: ['postgres:', 'postgresql:'], allowCredentials: true }),
  REDIS_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  SERVICE_TOKEN: secret(16),
  /** The admin API, which carries out the batches of SCIM synchronisations. */
  ADMIN_URL: url({ protocols: ['http:', 'https:'] }, 'http://127.0.0.1:8788'),
  DATA_DIR: text('.data'),
  ...PROXY_SETTINGS,
  /** Resolvers that domains are checked by, as in the admin API. */
  DNS_SERVERS: dnsServers,
  /** Internal hosts that alerts may be posted to, as in the admin API. */
  TRUSTED_CUSTOM_HOSTS: trustedHosts,
  ...OBJECT_STORE_SETTINGS,
  ...modelConfigSettings(folder),
  /** Number of whole days before today for which logs, their bodies and feedback are kept. */
  LOG_RETENTION_DAYS: integer({ min: 1, max: 3_650 }, 90),
  WORKER_PORT: port(8789),
  HOST: text('127.0.0.1'),
  ...SHUTDOWN_SETTINGS,
  /** Port on which Prometheus reads `/metrics`; without it no metrics are served. */
  METRICS_PORT: optional(port()),
  ...DATABASE_TLS_SETTINGS,
  DB_POOL_SIZE: integer({ min: 1, max: 200 }, 12),
  /**
   * Base URL to which spans are sent over OTLP/HTTP, or the exact URL of traces. With neither, no
   * spans are sent.
   */
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url({ protocols: ['http:', 'https:'] })),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(url({ protocols: ['http:', 'https:'] })),
  OTEL_EXPORTER_OTLP_HEADERS: text(''),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer({ min: 100, max: 60_000 }, 10_000),
  OTEL_SERVICE_NAME: text('tollgate'),
  ...ANALYTICS_STORE_SETTINGS,
  AUDIT_LOGS_ENABLED: feature(),
  /**
   * Master key of the installation. REDIS_URL and mail require it. Without it keys are not rotated
   * by policy, and alerts are not posted.
   */
  ENCRYPTION_KEY: optional(MASTER_KEY_SETTINGS.ENCRYPTION_KEY),
  ENCRYPTION_KEYS_PREVIOUS: MASTER_KEY_SETTINGS.ENCRYPTION_KEYS_PREVIOUS,
  API_KEY_PREFIX: apiKeyPrefix,
  ...MAIL_SETTINGS,
  DATA_EXPORTS_ENABLED: feature(),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error'], 'info'),
} as const;

/** Throws `SettingsError`, which lists every invalid setting. */
export const readWorkerSettings = (environment: Readonly<Record<string, string | undefined>>) =>
  readSettings(WORKER_SETTINGS, environment);

export type WorkerSettings = ReturnType<typeof readWorkerSettings>;

/** Returns the current master key and the previous ones; null without ENCRYPTION_KEY. */
export const masterKeys = ({
  ENCRYPTION_KEY: current,
  ENCRYPTION_KEYS_PREVIOUS: previous,
}: Pick<WorkerSettings, 'ENCRYPTION_KEY' | 'ENCRYPTION_KEYS_PREVIOUS'>): MasterKeys | null =>
  current && [current, ...previous];

/**
 * Returns a key ring that seals with the current master key and opens with all; null without
 * ENCRYPTION_KEY.
 */
export function keyringOf(settings: Parameters<typeof masterKeys>[0]): Keyring | null {
  const masters = masterKeys(settings);
  return masters && sealingKeyring(...masters);
}
