import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';

import { base64Key, flag, integer, oneOf, optional, port, readSettings, secret, text, url } from '@gw/kernel';

export type Environment = Readonly<Record<string, string | undefined>>;

export const LAUNCHER_SETTINGS = {
  GATEWAY_PORT: port(8787),
  ADMIN_PORT: port(8788),
  /** Port of the worker; absent: any free port. */
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
  /**
   * Milliseconds for in-flight requests after Ctrl-C; shorter than for a process that an
   * orchestrator stops.
   */
  SHUTDOWN_GRACE: integer({ min: 0, max: 3_600_000 }, 7_000),
};

export interface LauncherSettings {
  readonly ports: { readonly gateway: number; readonly admin: number; readonly worker: number | null };
  /** Address on which the gateway and the admin API listen. The worker listens on loopback. */
  readonly host: string;
  /** Absolute path of the data folder. */
  readonly dataDir: string;
  /** Database address; null: the launcher runs its own Postgres. */
  readonly databaseUrl: string | null;
  /** Redis address; null: no Redis, and the drivers for one machine are used. */
  readonly redisUrl: string | null;
  /** Master key, 32 bytes in base64; null: created once and kept in the data folder. */
  readonly encryptionKey: string | null;
  readonly serviceToken: string | null;
  readonly sandboxEnabled: boolean;
  readonly gatewayWorkers: number;
  /**
   * Scheduling policy of the gateway. The default is `rr` if there are more cores than gateway
   * processes.
   */
  readonly schedulingPolicy: 'other' | 'rr';
  /**
   * Metrics port of the first gateway process; the other gateway processes, the admin API and the
   * worker use the following ports. Null: no metrics.
   */
  readonly metricsPort: number | null;
  readonly shutdownGraceMs: number;
}

/** Throws `SettingsError`, which lists every invalid setting. */
export function readLauncherSettings(environment: Environment): LauncherSettings {
  const values = readSettings(LAUNCHER_SETTINGS, environment);
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

/** Returns the host by which this machine reaches a server that listens on `host`. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
