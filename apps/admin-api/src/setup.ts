import '@gw/stack-traces';
import 'reflect-metadata';
import { databaseTls } from '@gw/entities';
import { readSettings, SettingsError } from '@gw/kernel';
import { PROVIDERS } from '@gw/providers';
import { createLog } from '@gw/web';
import { Secrets } from './settings';
import { AuditRecorder } from './platform/unit-of-work/audit-recorder';
import { CredentialsFile } from './platform/setup/credentials-file';
import { withMigratedDatabase } from './platform/setup/database';
import { saveMissingProviders, type FirstProvider } from './platform/setup/first-providers';
import { ensureInstalled } from './platform/setup/first-start';
import { sandboxProvider } from './platform/setup/sandbox-provider';
import { PROVIDER_KEY_SETTINGS, SETUP_SETTINGS } from './platform/setup/settings';
import { ensureSandboxAgent } from './resources/agent-integrations/sandbox-agent';
import { ensureSandboxServer } from './resources/mcp-integrations/sandbox-server';

type Settings = ReturnType<typeof readSettings<typeof SETUP_SETTINGS>>;

/** Returns the providers whose key is in the environment, and the sandbox if it is enabled. */
function providersOf(
  settings: Settings,
  keys: Readonly<Record<string, string | null | undefined>>,
): FirstProvider[] {
  const keyed = [...PROVIDERS.values()].flatMap(({ id, name, environmentKey }): FirstProvider[] => {
    const key = environmentKey && keys[environmentKey.variable];
    return key
      ? [{ providerId: id, slug: environmentKey?.slug ?? id, name: environmentKey?.name ?? name, key }]
      : [];
  });
  return settings.SANDBOX_ENABLED ? [sandboxProvider(settings.SANDBOX_PRICED), ...keyed] : keyed;
}

/** Returns the host name with which this machine reaches a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Migrates the database. Seeds an empty one and writes its first credentials to the credentials
 * file. Can be called at every start and in any number of pods: a database is seeded only once,
 * even if the file is lost later.
 */
export async function setUp(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const settings = readSettings(SETUP_SETTINGS, environment);
  const log = createLog('setup', settings.LOG_LEVEL);
  const secrets = new Secrets(
    settings.ENCRYPTION_KEY,
    settings.SERVICE_TOKEN,
    settings.ENCRYPTION_KEYS_PREVIOUS,
  );
  const database = {
    url: settings.DATABASE_URL,
    tls: await databaseTls(settings.DATABASE_URL, settings),
    waitMs: settings.DATABASE_WAIT_SECONDS * 1_000,
  };
  const host = reachableHost(settings.HOST);
  const file =
    settings.CREDENTIALS_FILE === null
      ? null
      : new CredentialsFile(settings.CREDENTIALS_FILE, {
          base_url: `http://${host}:${String(settings.GATEWAY_PORT)}/v1`,
          admin_url: `http://${host}:${String(settings.ADMIN_PORT)}`,
        });
  await withMigratedDatabase(database, async (dataSource) => {
    const installed = await ensureInstalled({
      dataSource,
      secrets,
      audits: new AuditRecorder(settings),
      apiKeyPrefix: settings.API_KEY_PREFIX,
      ownerEmail: settings.OWNER_EMAIL,
      ownerPassword: settings.OWNER_PASSWORD,
      keep: file && ((created) => file.create(created)),
    });
    if (!installed.isNew && file && !(await file.refresh(installed.organisationId))) {
      log.info(
        { file: settings.CREDENTIALS_FILE },
        'credentials file is missing, incomplete or of another installation; no new credentials are issued',
      );
    }
    const added = await saveMissingProviders(
      dataSource,
      secrets,
      settings.TRUSTED_CUSTOM_HOSTS,
      installed.workspaceId,
      providersOf(settings, readSettings(PROVIDER_KEY_SETTINGS, environment)),
    );
    const { organisationId: organisation, workspaceId } = installed;
    const isOn = settings.SANDBOX_ENABLED;
    const mcpServers = isOn && (await ensureSandboxServer(dataSource, workspaceId)) ? ['sandbox'] : [];
    const agents = isOn && (await ensureSandboxAgent(dataSource, workspaceId)) ? ['sandbox'] : [];
    log.info({ organisation, providers: added, mcpServers, agents }, 'set-up is complete');
  });
}

async function main(): Promise<void> {
  try {
    await setUp(process.env);
  } catch (error) {
    const reason =
      error instanceof Error ? error.message || String(Reflect.get(error, 'code')) : String(error);
    const text = error instanceof SettingsError ? reason : `The set-up failed: ${reason}`;
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  }
}

if (require.main === module) void main();
