import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { isReachable, type SystemUser } from './system-user';

/** For a root whose own folders are closed to the user that Postgres runs as. Survives a restart of the machine. */
const SHARED_STATE = '/var/lib/tollgate';

/**
 * The folder that the cluster lives in, as a real path. Usually `wanted` itself; when Postgres' user cannot get there (a checkout
 * below /root, for example), `wanted` becomes a symbolic link to a folder below /var/lib.
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
  // A link whose target was deleted may be in the way.
  rmSync(wanted, { force: true });
  symlinkSync(folder, wanted);
  return folder;
}

/** Others may pass through but not look around, whatever the umask is. */
function makeFolder(path: string, owner: SystemUser | null): void {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o711);
  if (owner) chownSync(path, owner.uid, owner.gid);
}
