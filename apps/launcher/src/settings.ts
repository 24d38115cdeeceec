import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

import { base64Key, flag, integer, oneOf, optional, port, readSettings, secret, text, url } from '@gw/kernel';

export type Environment = Readonly<Record<string, string | undefined>>;

const SCHEMA = {
  GATEWAY_PORT: port(8787),
  ADMIN_PORT: port(8788),
  /** Absent: any that is free. */
  WORKER_PORT: optional(port()),
  HOST: text('127.0.0.1'),
  DATA_DIR: text('.data'),
  DATABASE_URL: optional(url({ protocols: ['postgres:', 'postgresql:'], allowCredentials: true })),
  REDIS_URL: optional(url({ protocols: ['redis:', 'rediss:'], allowCredentials: true })),
  ENCRYPTION_KEY: optional(base64Key(32)),
  SERVICE_TOKEN: optional(secret(32)),
  SANDBOX_ENABLED: optional(flag()),
  GATEWAY_WORKERS: integer({ min: 1, max: 64 }, 1),
  CPU_SCHEDULING_POLICY: optional(oneOf(['other', 'rr'])),
  METRICS_PORT: optional(port()),
  /** Milliseconds that requests have to end after Ctrl-C; shorter than that of a process that is stopped by an orchestrator. */
  SHUTDOWN_GRACE: integer({ min: 0, max: 3_600_000 }, 7_000),
};

export interface LauncherSettings {
  readonly ports: { readonly gateway: number; readonly admin: number; readonly worker: number | null };
  /** The address that the gateway and the admin API listen on. The worker listens on loopback. */
  readonly host: string;
  /** Absolute. */
  readonly dataDir: string;
  /** Null: the launcher runs its own Postgres. */
  readonly databaseUrl: string | null;
  /** Null: no Redis; its drivers are replaced by those of one machine. */
  readonly redisUrl: string | null;
  /** Base64, 32 bytes; null: made once and kept in the data folder. */
  readonly encryptionKey: string | null;
  readonly serviceToken: string | null;
  readonly sandboxEnabled: boolean;
  readonly gatewayWorkers: number;
  /** Of the gateway; `rr` when none is given and a core is left to the others, however busy all gateway processes are. */
  readonly schedulingPolicy: 'other' | 'rr';
  /** Of the first gateway process; those of the others, the admin API and the worker follow it. Null: no metrics. */
  readonly metricsPort: number | null;
  readonly shutdownGraceMs: number;
}

/** Throws `SettingsError`. */
export function readLauncherSettings(environment: Environment): LauncherSettings {
  const values = readSettings(SCHEMA, environment);
  const ports = { gateway: values.GATEWAY_PORT, admin: values.ADMIN_PORT, worker: values.WORKER_PORT };
  return {
    ports,
    host: values.HOST,
    dataDir: resolve(values.DATA_DIR),
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    encryptionKey: values.ENCRYPTION_KEY?.toString('base64') ?? null,
    serviceToken: values.SERVICE_TOKEN,
    sandboxEnabled: values.SANDBOX_ENABLED ?? values.DATABASE_URL === null,
    gatewayWorkers: values.GATEWAY_WORKERS,
    schedulingPolicy:
      values.CPU_SCHEDULING_POLICY ?? (values.GATEWAY_WORKERS < availableParallelism() ? 'rr' : 'other'),
    metricsPort: values.METRICS_PORT,
    shutdownGraceMs: values.SHUTDOWN_GRACE,
  };
}

/** The host by which this machine reaches a server that listens on `host`. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
