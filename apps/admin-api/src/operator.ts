import { appendAudit, dataSourceOptions, databaseTls } from '@gw/entities';
import { readSettings, uuidv7 } from '@gw/kernel';
import { DataSource, type EntityManager } from 'typeorm';
import { ADMIN_SETTINGS } from './settings';

type Environment = Readonly<Record<string, string | undefined>>;

const { DATABASE_URL, ENCRYPTION_KEY, ADMIN_PORT, HOST, CONSOLE_URL, PUBLIC_URL } = ADMIN_SETTINGS;
const { DB_SSL, DB_SSL_CA, DB_SSL_CERT, DB_SSL_KEY } = ADMIN_SETTINGS;
const SETTINGS = {
  ...{ DATABASE_URL, ENCRYPTION_KEY, ADMIN_PORT, HOST, CONSOLE_URL, PUBLIC_URL },
  ...{ DB_SSL, DB_SSL_CA, DB_SSL_CERT, DB_SSL_KEY },
};

/** The settings that commands of the operator read. */
export type OperatorSettings = ReturnType<typeof readSettings<typeof SETTINGS>>;

/**
 * Runs a command of the installation's operator on its database, without a login. `name` is the
 * name of the command.
 */
export async function onDatabase<T>(
  environment: Environment,
  name: string,
  run: (dataSource: DataSource, settings: OperatorSettings) => Promise<T>,
): Promise<T> {
  const settings = readSettings(SETTINGS, environment);
  const dataSource = new DataSource(
    dataSourceOptions({
      url: settings.DATABASE_URL,
      tls: await databaseTls(settings.DATABASE_URL, settings),
      poolSize: 2,
      applicationName: `tollgate-${name}`,
    }),
  );
  await dataSource.initialize();
  try {
    return await run(dataSource, settings);
  } finally {
    await dataSource.destroy();
  }
}

interface OperatorAct {
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string | null;
  /** Name of the command. */
  readonly command: string;
}

/** Records the operator's action in the audit log of each organisation. */
export async function auditOperator(
  manager: EntityManager,
  organisationIds: readonly string[],
  { command, ...act }: OperatorAct,
): Promise<void> {
  // Sorted, because each record locks its organisation's chain until the commit and a fixed order
  // prevents deadlocks.
  for (const organisationId of [...organisationIds].sort()) {
    const row = {
      ...{ id: uuidv7(), createdAt: new Date(), organisationId, workspaceId: null },
      ...{ ...act, userType: 'system' as const, userId: null, before: null, after: null },
      ...{ method: 'RUN', uri: command, requestId: uuidv7(), responseStatusCode: 200 },
      ...{ errorType: null, clientIp: null, userAgent: null },
    };
    await appendAudit(manager, [row]);
  }
}

/** Runs a command; prints a fault as one line and exits with code 1. */
export function runCommand(main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
