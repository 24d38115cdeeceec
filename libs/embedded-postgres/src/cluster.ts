import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Binaries } from './binaries';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import type { SystemUser } from './system-user';

export const SUPERUSER = 'tollgate';

/**
 * Environment of the Postgres tools: empty, so that PGDATA and similar variables cannot redirect
 * them.
 */
export const toolEnvironment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

/** Returns the folder of the cluster below `home` and creates the cluster on first use. */
export function prepareCluster(
  home: string,
  binaries: Binaries,
  user: SystemUser | null,
  password: string,
): string {
  const folder = join(home, 'data');
  const versionFile = join(folder, 'PG_VERSION');
  if (!existsSync(versionFile)) createCluster(home, folder, binaries, user, password);
  const major = Number(readFileSync(versionFile, 'utf8'));
  if (major !== binaries.major) {
    throw new EmbeddedPostgresError(
      `${folder} was written by Postgres ${String(major)}; the one here is ${String(binaries.major)} and cannot read it.`,
    );
  }
  return folder;
}

/**
 * Creates the cluster under a temporary name and renames it, so that an interrupted start leaves
 * nothing incomplete.
 */
function createCluster(
  home: string,
  folder: string,
  binaries: Binaries,
  user: SystemUser | null,
  password: string,
): void {
  const partial = join(home, 'data.partial');
  const passwordFile = join(home, 'initial-password');
  for (const path of [partial, folder]) rmSync(path, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const { status, stderr, error } = spawnSync(
    join(binaries.folder, 'initdb'),
    [
      ...['--pgdata', partial, '--username', SUPERUSER, '--pwfile', passwordFile, '--encoding', 'UTF8'],
      ...['--auth', 'scram-sha-256', '--no-sync', '--no-instructions'],
      ...(binaries.major >= 17
        ? ['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C']
        : ['--locale', 'C.UTF-8']),
    ],
    { cwd: home, env: toolEnvironment, encoding: 'utf8', timeout: 120_000, ...user },
  );
  rmSync(passwordFile, { force: true });
  if (status !== 0) {
    const reason = lastLine(stderr ?? '') ?? error?.message ?? `exit code ${String(status)}`;
    throw new EmbeddedPostgresError(`initdb failed in ${home}: ${reason}`);
  }
  renameSync(partial, folder);
}

export const lastLine = (output: string): string | undefined => output.trim().split('\n').at(-1) || undefined;
