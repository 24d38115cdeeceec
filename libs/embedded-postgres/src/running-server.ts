import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { EmbeddedPostgresError } from './embedded-postgres-error';

const STOP_TIMEOUT_MS = 15_000;

/**
 * Ends what an earlier run left behind: a server that outlived its launcher is stopped, so that ours is always our own child; a
 * pid file without its server is removed, for Postgres refuses to start when the number now belongs to another process.
 */
export async function endEarlierServer(dataFolder: string): Promise<void> {
  const pidFile = join(dataFolder, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  if (isServerOf(dataFolder, pid)) {
    process.kill(pid, 'SIGINT');
    await waitUntil(() => !isServerOf(dataFolder, pid), STOP_TIMEOUT_MS);
    if (isServerOf(dataFolder, pid)) {
      throw new EmbeddedPostgresError(
        `The Postgres of ${dataFolder} (process ${String(pid)}) does not stop.`,
      );
    }
  }
  await endSessionsIn(dataFolder);
  rmSync(pidFile, { force: true });
}

/**
 * Sessions that outlived a killed server, each until it has done its statement: no other server starts before they are gone. What they
 * have not committed is lost with them, as it is for those that noticed. Found on Linux alone; elsewhere they are waited for.
 */
async function endSessionsIn(dataFolder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const sessions = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isSessionIn(dataFolder, name));
  for (const pid of sessions) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  await waitUntil(() => !sessions.some((pid) => isSessionIn(dataFolder, pid)), STOP_TIMEOUT_MS);
}

/** Sessions work in the data folder, and say so in their title. */
function isSessionIn(dataFolder: string, pid: string): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataFolder) &&
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres: ')
    );
  } catch {
    return false;
  }
}

/** The server names its folder on its command line; a number that was given to another process does not. */
function isServerOf(dataFolder: string, pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 1) return false;
  try {
    return commandLine(pid).includes(dataFolder);
  } catch {
    return false;
  }
}

function commandLine(pid: number): string {
  if (process.platform === 'linux') return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
  return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8', timeout: 5_000 });
}

/** Looks every 20 ms, for at most `timeoutMs`. */
export async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition() && Date.now() < deadline) await delay(20);
}
