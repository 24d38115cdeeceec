import '@gw/stack-traces';
import 'reflect-metadata';
import { documentKey } from '@gw/contracts';
import { OrganisationEntity, recordChange, replaceSigningKeys } from '@gw/entities';
import { auditOperator, onDatabase, runCommand } from './operator';
import { Secrets } from './settings';

const COMMAND = 'rotate-signing-keys';

/**
 * Replaces all signing keys of the installation and returns the id of the new one. The operator
 * uses it after a key has been disclosed; it needs no login. Running processes use the new key
 * within a minute.
 */
export function rotatedKey(environment: Readonly<Record<string, string | undefined>>): Promise<string> {
  return onDatabase(environment, COMMAND, (dataSource, { ENCRYPTION_KEY: key }) =>
    dataSource.transaction(async (manager) => {
      const kid = await replaceSigningKeys(manager, new Secrets(key, '').sealingKeyring, new Date());
      const organisations = await manager.findBy(OrganisationEntity, { status: 'active' });
      await auditOperator(
        manager,
        organisations.map(({ id }) => id),
        { action: 'rotate', resourceType: 'signing_keys', resourceId: kid, command: COMMAND },
      );
      await recordChange(manager, { changed: [documentKey.signingKey(), documentKey.cardKey()] });
      return kid;
    }),
  );
}

async function main(): Promise<void> {
  const kid = await rotatedKey(process.env);
  process.stdout.write(`The key ${kid} signs from now on; all earlier keys are gone.\n`);
}

if (require.main === module) runCommand(main);
