import { FolderLock } from '@gw/kernel';

import { StartError } from './start-error';

/**
 * Holds the data folder for one launcher: a second one would end the Postgres of the first. The lock lies in the folder itself, so
 * that it is seen from every container and with every folder for temporary files. Gives what releases it.
 */
export function lockDataFolder(root: string): () => void {
  let lock: FolderLock | null;
  try {
    lock = FolderLock.take(root);
  } catch (error) {
    throw new StartError(`DATA_DIR ${(error as Error).message}`);
  }
  if (lock === null) {
    throw new StartError(
      `DATA_DIR ${root} is in use by another running Tollgate: stop it, or set DATA_DIR to another folder.`,
    );
  }
  const held = lock;
  return () => {
    held.release();
  };
}
