import type { DataFolder } from './data-folder';
import { WORKER_HOST, type Ports } from './ports';
import type { Secrets } from './secrets';
import { reachableHost, type Environment, type LauncherSettings } from './settings';

export interface Environments {
  readonly admin: Environment;
  readonly worker: Environment;
  /** Environment without DATABASE_URL: the gateway must not be able to reach Postgres. */
  readonly gateway: Environment;
}

/**
 * Returns the environment of each process: `environment`, which the launcher inherits, and the
 * settings that the launcher decides.
 */
export function environmentsOf(
  environment: Environment,
  settings: LauncherSettings,
  secrets: Secrets,
  folder: DataFolder,
  databaseUrl: string,
  ports: Ports,
): Environments {
  const inherited = withoutEmpty(environment);
  const { host } = settings;
  const adminUrl = `http://${reachableHost(host)}:${String(ports.admin)}`;
  const shared: Record<string, string | undefined> = {
    NODE_ENV: 'production',
    // On one machine there is no load balancer that must notice a shutdown.
    SHUTDOWN_LEAD: '0',
    ...inherited,
    SHUTDOWN_GRACE: String(settings.shutdownGraceMs),
    HOST: host,
    GATEWAY_PORT: String(ports.gateway),
    ADMIN_PORT: String(ports.admin),
    WORKER_PORT: String(ports.worker),
    GATEWAY_WORKERS: String(settings.gatewayWorkers),
    ADMIN_URL: adminUrl,
    WORKER_URL: `http://${WORKER_HOST}:${String(ports.worker)}`,
    DATA_DIR: settings.dataDir,
    CREDENTIALS_FILE: folder.credentials,
    ENCRYPTION_KEY: settings.encryptionKey ?? secrets.encryptionKey,
    ENCRYPTION_KEYS_PREVIOUS:
      inherited['ENCRYPTION_KEYS_PREVIOUS'] ?? (secrets.encryptionKeysPrevious ?? []).join(','),
    SERVICE_TOKEN: settings.serviceToken ?? secrets.serviceToken,
    SANDBOX_ENABLED: String(settings.sandboxEnabled),
    REDIS_URL: settings.redisUrl ?? undefined,
    DATABASE_URL: undefined,
  };
  const withDatabase = { ...shared, DATABASE_URL: databaseUrl };
  const gatewayUrl = `http://${reachableHost(host)}:${String(ports.gateway)}`;
  return {
    admin: {
      ...withDatabase,
      METRICS_PORT: metricsPort(settings, settings.gatewayWorkers),
      PUBLIC_GATEWAY_URL: inherited['PUBLIC_GATEWAY_URL'] ?? inherited['PUBLIC_URL'] ?? gatewayUrl,
      CLAIM_ENABLED: String(settings.databaseUrl === null),
      SETUP_ON_START: 'true',
      // The sandbox has invented prices only with the launcher's own Postgres; in a database of the
      // operator they would use up real budgets.
      SANDBOX_PRICED: String(settings.databaseUrl === null),
    },
    worker: {
      ...withDatabase,
      HOST: WORKER_HOST,
      METRICS_PORT: metricsPort(settings, settings.gatewayWorkers + 1),
    },
    gateway: {
      ...shared,
      // The admin API serves the console, whose pages call the gateway.
      CONSOLE_URL: inherited['CONSOLE_URL'] ?? adminUrl,
      METRICS_PORT: metricsPort(settings, 0),
      CPU_SCHEDULING_POLICY: settings.schedulingPolicy,
    },
  };
}

/** Leaves out empty variables, which count as absent, as for the settings of every process. */
const withoutEmpty = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value = '']) => value.trim() !== ''));

const metricsPort = ({ metricsPort: first }: LauncherSettings, place: number): string | undefined =>
  first === null ? undefined : String(first + place);
