import 'reflect-metadata';
import {
  appendAudit,
  dataSourceOptions,
  databaseTls,
  OrganisationUserEntity,
  RecoveryCodeEntity,
  SecondFactorEntity,
  UserEntity,
} from '@gw/entities';
import { readSettings, SettingsError, uuidv7 } from '@gw/kernel';
import { parseArgs } from 'node:util';
import { DataSource, type EntityManager } from 'typeorm';
import { PasswordLinks } from './resources/accounts/password-links';
import { ADMIN_SETTINGS, Secrets } from './settings';

const { DATABASE_URL, ENCRYPTION_KEY, ADMIN_PORT, HOST, CONSOLE_URL, PUBLIC_URL } = ADMIN_SETTINGS;
const { DB_SSL, DB_SSL_CA, DB_SSL_CERT, DB_SSL_KEY } = ADMIN_SETTINGS;
const SETTINGS = {
  ...{ DATABASE_URL, ENCRYPTION_KEY, ADMIN_PORT, HOST, CONSOLE_URL, PUBLIC_URL },
  ...{ DB_SSL, DB_SSL_CA, DB_SSL_CERT, DB_SSL_KEY },
};

/**
 * Returns a link with which the user sets a new password. For the operator of the installation; needs no login. Second factors stay,
 * unless `removesFactors` is true.
 */
export async function resetLink(
  environment: Readonly<Record<string, string | undefined>>,
  email: string,
  removesFactors = false,
): Promise<string> {
  const settings = readSettings(SETTINGS, environment);
  const dataSource = new DataSource(
    dataSourceOptions({
      url: settings.DATABASE_URL,
      tls: await databaseTls(settings.DATABASE_URL, settings),
      poolSize: 2,
      applicationName: 'tollgate-reset-password',
    }),
  );
  await dataSource.initialize();
  try {
    const where = { email: email.toLowerCase(), status: 'active' as const };
    const user = await dataSource.manager.findOneBy(UserEntity, where);
    if (!user) throw new Error(`There is no active user with the email address ${email}.`);
    const links = new PasswordLinks(new Secrets(settings.ENCRYPTION_KEY, ''), {
      ...settings,
      SMTP_HOST: null,
    });
    return await dataSource.transaction(async (manager) => {
      if (removesFactors) await removeFactors(manager, user.id);
      const { link } = await links.make(manager, user.id, null);
      return link;
    });
  } finally {
    await dataSource.destroy();
  }
}

async function removeFactors(manager: EntityManager, userId: string): Promise<void> {
  await manager.delete(SecondFactorEntity, { userId });
  await manager.delete(RecoveryCodeEntity, { userId });
  const seats = await manager.findBy(OrganisationUserEntity, { userId, status: 'active' });
  await appendAudit(
    manager,
    seats.map(({ organisationId }) => ({
      ...{ id: uuidv7(), createdAt: new Date(), organisationId, workspaceId: null },
      ...{
        userType: 'system' as const,
        userId: null,
        action: 'reset',
        resourceType: 'mfa',
        resourceId: userId,
      },
      ...{ before: null, after: null, method: 'RUN', uri: 'reset-password', requestId: uuidv7() },
      ...{ responseStatusCode: 200, errorType: null, clientIp: null, userAgent: null },
    })),
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { 'remove-factors': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [email] = positionals;
  if (email === undefined) {
    throw new Error('Email address is missing; call reset-password <email> [--remove-factors].');
  }
  const link = await resetLink(process.env, email, values['remove-factors']);
  process.stdout.write(`Open this link within 30 minutes to set a new password:\n${link}\n`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    const text = error instanceof SettingsError || error instanceof Error ? error.message : String(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  });
}
