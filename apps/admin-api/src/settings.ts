import { ANALYTICS_STORE_SETTINGS } from '@gw/clickhouse';
import { DATABASE_TLS_SETTINGS } from '@gw/entities';
import { dnsServers } from '@gw/federation';
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
  oauthPepper,
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
import { CONSOLE_SETTINGS } from './console/console-settings';
import { OAUTH_SETTINGS } from './platform/oauth/oauth-settings';
import { RESOURCE_CAP_SETTINGS } from './platform/resource-caps/capped-kinds';
import { OBJECT_STORE_SETTINGS } from '@gw/object-store';
import { PROXY_SETTINGS } from '@gw/outbound';
import { SECRET_MANAGER_SETTINGS } from '@gw/secret-managers';
import type { KeyObject } from 'node:crypto';

/** Feature switches; OFF switches a feature off. `auth/features.ts` lists their routes. */
export const FEATURE_SETTINGS = {
  API_ACCESS_ENABLED: feature(),
  AUDIT_LOGS_ENABLED: feature(),
  GUARDRAILS_ENABLED: feature(),
  DATA_EXPORTS_ENABLED: feature(),
  USAGE_LIMITS_ENABLED: feature(),
  POLICY_ENABLED: feature(),
  SCIM_ENABLED: feature(),
  JWT_ENABLED: feature(),
};

/** All settings of the admin API. */
export const ADMIN_SETTINGS = {
  DATABASE_URL: url({ protocols: ['postgres:', 'postgresql:'], allowCredentials: true }),
  ...DATABASE_TLS_SETTINGS,
  DB_POOL_SIZE: integer({ min: 2, max: 1_000 }, 12),
  REDIS_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  ...MASTER_KEY_SETTINGS,
  SERVICE_TOKEN: secret(32),
  /** Address of the worker, which stores the logs that callers upload. */
  WORKER_URL: url({ protocols: ['http:', 'https:'] }, 'http://127.0.0.1:8789'),
  ADMIN_PORT: port(8788),
  ...ANALYTICS_STORE_SETTINGS,
  /** Port of `/metrics` for Prometheus; absent for no metrics. */
  METRICS_PORT: optional(port()),
  HOST: text('127.0.0.1'),
  /** Addresses and ranges of proxies whose `x-forwarded-for` is trusted; absent for none. */
  TRUSTED_PROXIES: trustedProxies,
  ...SHUTDOWN_SETTINGS,
  API_KEY_PREFIX: apiKeyPrefix,
  /** True blocks inline configs in all organisations, regardless of their own settings. */
  BLOCK_INLINE_CONFIG: flag(false),
  TRUSTED_CUSTOM_HOSTS: trustedHosts,
  /** True: MCP integrations may have the URL of the sandbox server, which this process serves. */
  SANDBOX_ENABLED: flag(false),
  ...PROXY_SETTINGS,
  /**
   * Resolvers for verifying domains, as addresses with or without a port; absent for those of the
   * system.
   */
  DNS_SERVERS: dnsServers,
  DATA_DIR: text('.data'),
  ...OBJECT_STORE_SETTINGS,
  ...SECRET_MANAGER_SETTINGS,
  ...FEATURE_SETTINGS,
  /**
   * True: workspace memberships are derived from the groups of each SCIM user; the member lists of
   * SCIM groups are ignored.
   */
  SCIM_MEMBERSHIP_USER_MODE: flag(false),
  /** True: creating a SCIM user who already exists changes the user instead of returning 409. */
  SCIM_CREATE_UPSERT: flag(false),
  /** True: SCIM clients may send many operations in one request. */
  SCIM_BULK: flag(false),
  /** True: the SCIM schemas and features can be read without a token. */
  SCIM_PUBLIC_DISCOVERY: flag(false),
  ...OAUTH_SETTINGS,
  /**
   * Maximum requests per minute of each API key, access token or signed token, in this process; 0
   * for no limit.
   */
  CONTROL_PLANE_RATE_LIMIT: integer({ min: 0, max: 1_000_000 }, 3_000),
  /** Maximum requests per minute of each user with sessions, in this process; 0 for no limit. */
  CONSOLE_RATE_LIMIT: integer({ min: 0, max: 1_000_000 }, 1_200),
  ...RESOURCE_CAP_SETTINGS,
  /** Days shown to users. The actual retention is configured in the log store. */
  LOG_RETENTION_DISPLAY: integer({ min: 1, max: 36_500 }, 90),
  METRICS_RETENTION_DISPLAY: integer({ min: 1, max: 36_500 }, 365),
  /**
   * Public base URL of this installation (gateway or admin API), used in links. Default: the admin
   * API's own address.
   */
  CONSOLE_URL: optional(url({ protocols: ['http:', 'https:'] })),
  /** Name of this environment that consoles show, such as `production`; absent for none. */
  CONSOLE_ENVIRONMENT: optional(text()),
  /** Address of the gateway for clients. Default: PUBLIC_URL, else the base address of links. */
  PUBLIC_GATEWAY_URL: optional(url({ protocols: ['http:', 'https:'] })),
  /**
   * True: this process sets up the database before it serves; the launcher sets it. Otherwise
   * `setup.js` sets up the database.
   */
  SETUP_ON_START: flag(false),
  /**
   * True: the launcher may request a link that logs in the owner once. Only for an installation on
   * one machine.
   */
  CLAIM_ENABLED: flag(false),
  ...CONSOLE_SETTINGS,
  /**
   * Web origins whose pages may call `/mcp/admin`, separated by commas, in addition to those of
   * this installation.
   */
  MCP_ALLOWED_ORIGINS: text(''),
  /** Seconds for which browsers must use TLS for this host. With 0, the header is not sent. */
  HSTS_MAX_AGE: integer({ min: 0, max: 63_072_000 }, 0),
  /**
   * True: owners may log in by password when single sign-on is enforced; all owners are notified by
   * mail.
   */
  SSO_BREAK_GLASS: flag(true),
  /**
   * Base URL of a k-anonymity service for breached passwords, without the prefix of five hex
   * digits; new passwords are checked there.
   */
  BREACHED_PASSWORDS_URL: optional(url({ protocols: ['http:', 'https:'] })),
  /** Days until an invite link expires. */
  INVITE_DAYS: integer({ min: 1, max: 90 }, 7),
  /**
   * Host of the mail server. When set, mails are queued for the worker, which sends them and has
   * all other mail settings.
   */
  SMTP_HOST: optional(text()),
  LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
};

/** Reads the settings. Throws `SettingsError` with all invalid settings. */
export const readAdminSettings = (environment: Readonly<Record<string, string | undefined>>) =>
  readSettings(ADMIN_SETTINGS, environment);

export type AdminSettings = ReturnType<typeof readAdminSettings>;

/** Injection token of the `AdminSettings`. */
export const SETTINGS = Symbol('SETTINGS');

/**
 * Keys of the installation, each derived from the master key for one purpose. They are never logged
 * or sent.
 */
export class Secrets {
  /** HMAC key for the hashes of API keys. */
  readonly apiKeyPepper: KeyObject;
  private readonly earlierPeppers: readonly KeyObject[];
  readonly refreshTokenPepper: KeyObject;
  readonly inviteTokenPepper: KeyObject;
  /** Signs the access tokens of sessions (HS256). */
  readonly sessionKey: Buffer;
  /** HMAC key for the hashes of codes and tokens of the OAuth server. */
  readonly oauthPepper: KeyObject;
  /** Signs the cookies and forms of the OAuth server. */
  readonly oauthPageKey: Buffer;
  /** Signs download links of log exports. */
  readonly exportLinkKey: Buffer;
  /** Seals provider credentials. */
  readonly sealingKeyring: Keyring;

  constructor(
    master: Buffer,
    readonly serviceToken: string,
    /**
     * Earlier master keys, which open data that they sealed and recognise API keys that they
     * hashed.
     */
    previous: readonly Buffer[] = [],
  ) {
    this.apiKeyPepper = apiKeyPepper(master);
    this.earlierPeppers = previous.map(apiKeyPepper);
    // Derived only from the current master key, so sessions, invite links and export links end when
    // it is replaced.
    this.refreshTokenPepper = hashingKey(deriveKey(master, 'refresh-token-hash').toString('hex'));
    this.inviteTokenPepper = hashingKey(deriveKey(master, 'invite-token-hash').toString('hex'));
    this.sessionKey = deriveKey(master, 'session');
    this.oauthPepper = oauthPepper(master);
    this.oauthPageKey = deriveKey(master, 'oauth-pages');
    this.sealingKeyring = sealingKeyring(master, ...previous);
    this.exportLinkKey = deriveKey(master, 'export-link');
  }
  /**
   * Returns the possible stored hashes of an API key or deployment secret: with the current key
   * first, then with earlier master keys.
   */
  hashesOf(secret: string): string[] {
    return [this.apiKeyPepper, ...this.earlierPeppers].map((pepper) => hashApiKey(pepper, secret));
  }
}
