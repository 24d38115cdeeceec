import {
  assertOpens,
  INSTALLATION_BINDING,
  InstallationEntity,
  IntegrationEntity,
  openInstallation,
  OrganisationEntity,
} from '@gw/entities';
import { seal } from '@gw/kernel';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { CredentialsService } from '../credentials/credentials.service';
import type { Secrets } from '../../settings';

const ROW_ID = 1;
const KEY_CHECK = 'tollgate';

/**
 * Returns the row of this installation; null when the database was never set up. Adds the row to a
 * database from a release without it. Throws `SettingsError` when the key does not open the data.
 */
export async function adoptInstallation(
  manager: EntityManager,
  secrets: Secrets,
): Promise<InstallationEntity | null> {
  const row = await openInstallation(manager, secrets.sealingKeyring);
  if (row) return row;
  const [organisation] = await manager.find(OrganisationEntity, {
    order: { createdAt: 'ASC', id: 'ASC' },
    take: 1,
  });
  if (!organisation) return null;
  await assertOpensCredentials(manager, secrets);
  return recordInstallation(manager, secrets, organisation.id);
}

/** Marks the database as set up, and stores a check value for its key. */
export async function recordInstallation(
  manager: EntityManager,
  secrets: Secrets,
  organisationId: string,
): Promise<InstallationEntity> {
  const keyCheck = seal(secrets.sealingKeyring, KEY_CHECK, INSTALLATION_BINDING);
  await manager.insert(InstallationEntity, { id: ROW_ID, organisationId, keyCheck });
  return manager.findOneByOrFail(InstallationEntity, { id: ROW_ID });
}

/** Checks the key of a database without a check value by opening one stored credential. */
async function assertOpensCredentials(manager: EntityManager, secrets: Secrets): Promise<void> {
  const [integration] = await manager.find(IntegrationEntity, {
    where: { sealedCredential: Not(IsNull()) },
    take: 1,
  });
  if (integration) assertOpens(() => new CredentialsService(secrets).open(integration));
}
