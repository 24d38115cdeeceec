import { flag, integer, optional, port, secret, text, type Setting } from '@gw/kernel';
import { PROVIDERS } from '@gw/providers';
import { ADMIN_SETTINGS } from '../../settings';

/** The environment variables with provider API keys, as settings of the set-up. */
export const PROVIDER_KEY_SETTINGS: Readonly<Record<string, Setting<string | null>>> = Object.fromEntries(
  [...PROVIDERS.values()].flatMap(({ environmentKey }) =>
    environmentKey ? [[environmentKey.variable, optional(text())]] : [],
  ),
);

const {
  DATABASE_URL,
  ENCRYPTION_KEY,
  ENCRYPTION_KEYS_PREVIOUS,
  SERVICE_TOKEN,
  ADMIN_PORT,
  HOST,
  API_KEY_PREFIX,
  TRUSTED_CUSTOM_HOSTS,
  AUDIT_LOGS_ENABLED,
  LOG_LEVEL,
  DB_SSL,
  DB_SSL_CA,
  DB_SSL_CERT,
  DB_SSL_KEY,
  SANDBOX_ENABLED,
} = ADMIN_SETTINGS;

/** Settings of the set-up: its own and those that it shares with the admin API. */
export const SETUP_SETTINGS = {
  DATABASE_URL,
  ENCRYPTION_KEY,
  ENCRYPTION_KEYS_PREVIOUS,
  SERVICE_TOKEN,
  ADMIN_PORT,
  HOST,
  API_KEY_PREFIX,
  TRUSTED_CUSTOM_HOSTS,
  AUDIT_LOGS_ENABLED,
  LOG_LEVEL,
  DB_SSL,
  DB_SSL_CA,
  DB_SSL_CERT,
  DB_SSL_KEY,
  SANDBOX_ENABLED,
  /**
   * Whether the models of a new provider `sandbox` have small prices. The launcher sets it to true
   * for its own database.
   */
  SANDBOX_PRICED: flag(false),
  GATEWAY_PORT: port(8787),
  /**
   * File to which the first set-up of an empty database writes its credentials, with mode 0600.
   * When absent, the set-up requires OWNER_PASSWORD and issues no keys.
   */
  CREDENTIALS_FILE: optional(text()),
  /** Maximum wait for a database that does not respond yet, in seconds. */
  DATABASE_WAIT_SECONDS: integer({ min: 0, max: 3_600 }, 60),
  OWNER_EMAIL: text('owner@tollgate.local'),
  /**
   * Password of the owner in an empty database; later set-ups ignore it. When absent, the set-up
   * generates one.
   */
  OWNER_PASSWORD: optional(secret(12)),
};
