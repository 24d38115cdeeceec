import {
  DATABASE_TLS_SETTINGS,
  feature,
  integer,
  oneOf,
  optional,
  port,
  readSettings,
  secret,
  text,
  url,
} from '@gw/kernel';

const SCHEMA = {
  DATABASE_URL: url({ protocols: ['postgres:', 'postgresql:'], allowCredentials: true }),
  REDIS_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  SERVICE_TOKEN: secret(16),
  WORKER_PORT: port(8789),
  HOST: text('127.0.0.1'),
  ...DATABASE_TLS_SETTINGS,
  DB_POOL_SIZE: integer({ min: 1, max: 200 }, 12),
  AUDIT_LOGS_ENABLED: feature(),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error'], 'info'),
} as const;

/** Throws `SettingsError`, which lists every setting at fault. */
export const readWorkerSettings = (environment: Readonly<Record<string, string | undefined>>) =>
  readSettings(SCHEMA, environment);

export type WorkerSettings = ReturnType<typeof readWorkerSettings>;
