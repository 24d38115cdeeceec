import 'reflect-metadata';
import { dataSourceOptions, UserEntity, databaseTls } from '@gw/entities';
import { readSettings, SettingsError } from '@gw/kernel';
import { DataSource } from 'typeorm';
import { PasswordLinks } from './resources/accounts/password-links';
import { ADMIN_SETTINGS, Secrets } from './settings';

const { DATABASE_URL, ENCRYPTION_KEY, ADMIN_PORT, HOST, CONSOLE_URL } = ADMIN_SETTINGS;
const { DB_SSL, DB_SSL_CA, DB_SSL_CERT, DB_SSL_KEY } = ADMIN_SETTINGS;
const SETTINGS = {
  ...{ DATABASE_URL, ENCRYPTION_KEY, ADMIN_PORT, HOST, CONSOLE_URL },
  ...{ DB_SSL, DB_SSL_CA, DB_SSL_CERT, DB_SSL_KEY },
};

/** Returns a link with which the user sets a new password. For the operator of the installation; needs no login. */
export async function resetLink(
  environment: Readonly<Record<string, string | undefined>>,
  email: string,
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
    const { link } = await links.make(dataSource.manager, user.id, null);
    return link;
  } finally {
    await dataSource.destroy();
  }
}

async function main(): Promise<void> {
  const [email] = process.argv.slice(2);
  if (email === undefined) throw new Error('Email address is missing; call reset-password <email>.');
  const link = await resetLink(process.env, email);
  process.stdout.write(`Open this link within 30 minutes to set a new password:\n${link}\n`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    const text = error instanceof SettingsError || error instanceof Error ? error.message : String(error);
    process.stderr.write(`${text}\n`);
    process.exitCode = 1;
  });
}
