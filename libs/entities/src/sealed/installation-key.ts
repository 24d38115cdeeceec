import { SettingsError, unseal, type Keyring } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { INSTALLATION_BINDING, InstallationEntity } from '../identity/installation.entity';

/**
 * Returns the row of this installation; null when the database has never been set up. Throws
 * `SettingsError` if `ring` does not decrypt the check value: a process with a wrong ENCRYPTION_KEY
 * must not start.
 */
export async function openInstallation(
  manager: EntityManager,
  ring: Keyring,
): Promise<InstallationEntity | null> {
  const row = await manager.findOneBy(InstallationEntity, { id: 1 });
  if (row) assertOpens(() => unseal(ring, row.keyCheck, INSTALLATION_BINDING));
  return row;
}

/** Runs `open` and throws `SettingsError` if it throws. */
export function assertOpens(open: () => unknown): void {
  try {
    open();
  } catch {
    throw new SettingsError([
      {
        name: 'ENCRYPTION_KEY',
        rule: 'does not open the data of this installation; start with the key of its first set-up, list that key in ENCRYPTION_KEYS_PREVIOUS, or restore the database that belongs to this key',
      },
    ]);
  }
}
