import { ANALYTICS_STORE_SETTINGS } from '@gw/clickhouse';
import { DATABASE_TLS_SETTINGS } from '@gw/entities';
import {
  apiKeyPepper,
  apiKeyPrefix,
  deriveKey,
  feature,
  flag,
  hashApiKey,
  hashingKey,
  integer,
  MASTER_KEY_SETTINGS,
  oneOf,
  optional,
  port,
  readSettings,
  sealingKeyring,
  secret,
  text,
  trustedHosts,
  trustedProxies,
  url,
  type Keyring,
} from '@gw/kernel';
import { SHUTDOWN_SETTINGS } from '@gw/web';
import { RESOURCE_CAP_SETTINGS } from './platform/resource-caps/capped-kinds';
import { OBJECT_STORE_SETTINGS } from '@gw/object-store';
import { PROXY_SETTINGS } from '@gw/outbound';
import { SECRET_MANAGER_SETTINGS } from '@gw/secret-managers';
import type { KeyObject } from 'node:crypto';

/** Features that OFF switches off; `auth/features.ts` names their routes. */
export const FEATURE_SETTINGS = {
  API_ACCESS_ENABLED: feature(),
  AUDIT_LOGS_ENABLED: feature(),
  GUARDRAILS_ENABLED: feature(),
  DATA_EXPORTS_ENABLED: feature(),
  USAGE_LIMITS_ENABLED: feature(),
  POLICY_ENABLED: feature(),
  SCIM_ENABLED: feature(),
};

/** Every setting of the admin API. A new one is one line here. */
export const ADMIN_SETTINGS = {
  DATABASE_URL: url({ protocols: ['postgres:', 'postgresql:'], allowCredentials: true }),
  ...DATABASE_TLS_SETTINGS,
  DB_POOL_SIZE: integer({ min: 2, max: 1_000 }, 12),
  REDIS_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  ...MASTER_KEY_SETTINGS,
  SERVICE_TOKEN: secret(32),
  /** The worker, which stores the logs that callers bring themselves. */
  WORKER_URL: url({ protocols: ['http:', 'https:'] }, 'http://127.0.0.1:8789'),
  ADMIN_PORT: port(8788),
  ...ANALYTICS_STORE_SETTINGS,
  /** Where Prometheus finds `/metrics`. Absent: nowhere. */
  METRICS_PORT: optional(port()),
  HOST: text('127.0.0.1'),
  /** Addresses and ranges of proxies whose `x-forwarded-for` is believed. Absent: none. */
  TRUSTED_PROXIES: trustedProxies,
  ...SHUTDOWN_SETTINGS,
  API_KEY_PREFIX: apiKeyPrefix,
  /** True blocks inline configs everywhere, whatever the organisations say. */
  BLOCK_INLINE_CONFIG: flag(false),
  TRUSTED_CUSTOM_HOSTS: trustedHosts,
  ...PROXY_SETTINGS,
  DATA_DIR: text('.data'),
  ...OBJECT_STORE_SETTINGS,
  ...SECRET_MANAGER_SETTINGS,
  ...FEATURE_SETTINGS,
  /** True: who is in a workspace comes from the groups of SCIM's users; members that its groups name change nothing. */
  SCIM_MEMBERSHIP_USER_MODE: flag(false),
  /** Requests of one credential in a minute; 0 for no limit. */
  CONTROL_PLANE_RATE_LIMIT: integer({ min: 0, max: 1_000_000 }, 100),
  ...RESOURCE_CAP_SETTINGS,
  /** Days, shown to users only: what is really kept is the log store's affair. */
  LOG_RETENTION_DISPLAY: integer({ min: 1, max: 36_500 }, 90),
  METRICS_RETENTION_DISPLAY: integer({ min: 1, max: 36_500 }, 365),
  /** Where people reach this installation, by the gateway or the admin API: base of links; the admin API's own when absent. */
  CONSOLE_URL: optional(url({ protocols: ['http:', 'https:'] })),
  /** Seconds for which browsers use this host over TLS alone; 0: the header is not sent. */
  HSTS_MAX_AGE: integer({ min: 0, max: 63_072_000 }, 0),
  /** Days that the link of an invite works. */
  INVITE_DAYS: integer({ min: 1, max: 90 }, 7),
  /** Where it is set, mails are put in line for the worker, which sends them; its other settings are the worker's. */
  SMTP_HOST: optional(text()),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
};

/** Throws `SettingsError`, which lists every setting at fault. */
export const readAdminSettings = (environment: Readonly<Record<string, string | undefined>>) =>
  readSettings(ADMIN_SETTINGS, environment);

export type AdminSettings = ReturnType<typeof readAdminSettings>;

/** Injection token of the `AdminSettings`. */
export const SETTINGS = Symbol('SETTINGS');

/** Keys of the installation, each derived from the master key for one purpose. Never logged, never sent. */
export class Secrets {
  /** Of the HMAC that API keys are stored by. */
  readonly apiKeyPepper: KeyObject;
  private readonly earlierPeppers: readonly KeyObject[];
  readonly refreshTokenPepper: KeyObject;
  readonly inviteTokenPepper: KeyObject;
  /** Signs the access tokens of sessions (HS256). */
  readonly sessionKey: Buffer;
  /** Signs the links to files of exports. */
  readonly exportLinkKey: Buffer;
  /** Seals provider credentials. */
  readonly sealingKeyring: Keyring;

  constructor(
    master: Buffer,
    readonly serviceToken: string,
    /** Earlier master keys, which open what they sealed and recognise the API keys that they hashed. */
    previous: readonly Buffer[] = [],
  ) {
    this.apiKeyPepper = apiKeyPepper(master);
    this.earlierPeppers = previous.map(apiKeyPepper);
    // Sessions, links of invites and of exports end with their master key.
    this.refreshTokenPepper = hashingKey(deriveKey(master, 'refresh-token-hash').toString('hex'));
    this.inviteTokenPepper = hashingKey(deriveKey(master, 'invite-token-hash').toString('hex'));
    this.sessionKey = deriveKey(master, 'session');
    this.sealingKeyring = sealingKeyring(master, ...previous);
    this.exportLinkKey = deriveKey(master, 'export-link');
  }
  /** The hash by which an API key or a deployment's secret may be stored: first that of now, then those of earlier master keys. */
  hashesOf(secret: string): string[] {
    return [this.apiKeyPepper, ...this.earlierPeppers].map((pepper) => hashApiKey(pepper, secret));
  }
}
