import { chownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Ids of the user that Postgres runs as, if it is not the current user. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

const UNKNOWN: SystemUser = { uid: 65_534, gid: 65_534 };

/**
 * Returns the user for Postgres. Postgres refuses to run as root, so root uses the user `postgres`,
 * or `nobody` if it does not exist. Other users get null, which means the current user.
 */
export function postgresUser(): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  try {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith('postgres:'));
    const [, , uid, gid] = line?.split(':') ?? [];
    return uid && gid ? { uid: Number(uid), gid: Number(gid) } : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

/**
 * Returns whether the user may enter every folder of `path`, including the last. A missing folder
 * counts as reachable.
 */
export function isReachable(path: string, user: SystemUser | null): boolean {
  if (!user) return true;
  const folders = [resolve(path)];
  for (let folder = resolve(path); dirname(folder) !== folder; folder = dirname(folder)) {
    folders.push(dirname(folder));
  }
  return folders.every((folder) => {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (!stats) return true;
    const bit = stats.uid === user.uid ? 0o100 : stats.gid === user.gid ? 0o010 : 0o001;
    return (stats.mode & bit) !== 0;
  });
}

/** Changes the owner of `path` and everything below it. */
export function changeOwner(path: string, user: SystemUser | null): void {
  if (!user) return;
  chownSync(path, user.uid, user.gid);
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), user.uid, user.gid);
  }
}
