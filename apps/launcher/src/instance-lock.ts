import { FolderLock } from '@gw/journal';
import { StartError } from './start-error';

/**
 * Locks the data folder for one launcher, because a second one would stop the Postgres of the
 * first. The lock is in the folder itself, so that it works across containers and with any TMPDIR.
 * Returns a function that releases it.
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
