import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

import { EmbeddedPostgresError } from './embedded-postgres-error';
import { changeOwner, type SystemUser } from './system-user';

/**
 * A Postgres that the given user can execute: the folder with `initdb` and `postgres`, and its
 * major version.
 */
export interface Binaries {
  readonly folder: string;
  readonly major: number;
}

/** Platform in the names of the npm packages, which follow Node.js except for Windows. */
const platformName = (): string =>
  `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** Folder of Debian's packages, for platforms without an npm package, such as those with musl. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/**
 * Finds Postgres in node_modules, else on the system. If the user cannot execute it there (for
 * example in a checkout below a private home), it is copied to `copyTo` first.
 */
export function findBinaries(user: SystemUser | null, copyTo: string): Binaries {
  const candidates = [packagedFolder(), ...debianFolders()].filter((folder) => folder !== null);
  for (const folder of candidates) {
    const major = majorOf(folder, user);
    if (major !== null) return { folder, major };
    if (!folder.startsWith(DEBIAN_FOLDER) && user) {
      const copy = copyBinaries(folder, copyTo, user);
      const copiedMajor = majorOf(copy, user);
      if (copiedMajor !== null) return { folder: copy, major: copiedMajor };
    }
  }
  throw new EmbeddedPostgresError(
    `No Postgres runs here (${platformName()}): set DATABASE_URL to a Postgres server instead.`,
  );
}

function packagedFolder(): string | null {
  try {
    const entry = createRequire(__filename).resolve(`@embedded-postgres/${platformName()}`);
    const root = resolve(dirname(entry), '..');
    linkLibraries(root);
    return join(root, 'native', 'bin');
  } catch {
    return null;
  }
}

/**
 * Creates the symbolic links that the package lists. npm packages cannot contain links, and we run
 * no install scripts.
 */
function linkLibraries(packageRoot: string): void {
  const list = join(packageRoot, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(packageRoot, target);
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch {
      // Another process created it first, or the folder is read-only; the version check below finds
      // out.
    }
  }
}

function debianFolders(): string[] {
  if (!existsSync(DEBIAN_FOLDER)) return [];
  const majors = readdirSync(DEBIAN_FOLDER).filter((name) => /^\d+$/.test(name));
  return majors.sort((a, b) => Number(b) - Number(a)).map((major) => join(DEBIAN_FOLDER, major, 'bin'));
}

/** Returns null if this user cannot execute the binaries. */
function majorOf(folder: string, user: SystemUser | null): number | null {
  const { status, stdout } = spawnSync(join(folder, 'postgres'), ['--version'], {
    cwd: '/',
    encoding: 'utf8',
    timeout: 10_000,
    ...user,
  });
  const major = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1];
  return status === 0 && major && existsSync(join(folder, 'initdb')) ? Number(major) : null;
}

function copyBinaries(folder: string, copyTo: string, user: SystemUser): string {
  const copied = join(copyTo, 'bin');
  if (majorOf(copied, user) !== null) return copied;
  const partial = `${copyTo}.partial`;
  for (const path of [partial, copyTo]) rmSync(path, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  cpSync(dirname(folder), partial, { recursive: true, verbatimSymlinks: true });
  changeOwner(partial, user);
  renameSync(partial, copyTo);
  return copied;
}
