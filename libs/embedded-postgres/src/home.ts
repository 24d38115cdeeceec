import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { isReachable, type SystemUser } from './system-user';

/**
 * Folder for clusters of a root user whose own folders the Postgres user cannot enter. It survives
 * a reboot.
 */
const SHARED_STATE = '/var/lib/tollgate';

/**
 * Returns the real path of the folder for the cluster. Usually it is `wanted`; if the Postgres user
 * cannot enter it (for example a checkout below /root), `wanted` becomes a symbolic link to a
 * folder below /var/lib.
 */
export function prepareHome(wanted: string, user: SystemUser | null): string {
  if (existsSync(wanted)) return realpathSync(wanted);
  mkdirSync(dirname(wanted), { recursive: true });
  if (isReachable(dirname(wanted), user)) {
    makeFolder(wanted, user);
    return realpathSync(wanted);
  }
  const folder = join(SHARED_STATE, randomBytes(8).toString('hex'));
  makeFolder(SHARED_STATE, null);
  makeFolder(folder, user);
  // A link whose target was deleted may exist.
  rmSync(wanted, { force: true });
  symlinkSync(folder, wanted);
  return folder;
}

/** Creates a folder that others may pass through but not list, whatever the umask is. */
function makeFolder(path: string, owner: SystemUser | null): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o711);
  if (owner) chownSync(path, owner.uid, owner.gid);
}
