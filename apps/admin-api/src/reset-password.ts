import '@gw/stack-traces';
import 'reflect-metadata';
import { OrganisationUserEntity, RecoveryCodeEntity, SecondFactorEntity, UserEntity } from '@gw/entities';
import { parseArgs } from 'node:util';
import type { EntityManager } from 'typeorm';
import { auditOperator, onDatabase, runCommand } from './operator';
import { PasswordLinks } from './resources/accounts/password-links';
import { Secrets } from './settings';

const COMMAND = 'reset-password';

/**
 * Returns a link with which the user sets a new password. For the operator of the installation;
 * needs no login. Keeps second factors unless `removesFactors` is true.
 */
export async function resetLink(
  environment: Readonly<Record<string, string | undefined>>,
  email: string,
  removesFactors = false,
): Promise<string> {
  return onDatabase(environment, COMMAND, async (dataSource, settings) => {
    const where = { email: email.toLowerCase(), status: 'active' as const };
    const user = await dataSource.manager.findOneBy(UserEntity, where);
    if (!user) throw new Error(`There is no active user with the email address ${email}.`);
    const links = new PasswordLinks(new Secrets(settings.ENCRYPTION_KEY, ''), {
      ...settings,
      SMTP_HOST: null,
    });
    return dataSource.transaction(async (manager) => {
      if (removesFactors) await removeFactors(manager, user.id);
      const { link } = await links.make(manager, user.id, null);
      return link;
    });
  });
}

async function removeFactors(manager: EntityManager, userId: string): Promise<void> {
  await manager.delete(SecondFactorEntity, { userId });
  await manager.delete(RecoveryCodeEntity, { userId });
  const seats = await manager.findBy(OrganisationUserEntity, { userId, status: 'active' });
  await auditOperator(
    manager,
    seats.map(({ organisationId }) => organisationId),
    { action: 'reset', resourceType: 'mfa', resourceId: userId, command: COMMAND },
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

if (require.main === module) runCommand(main);
