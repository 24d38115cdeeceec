import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { EmbeddedPostgresError } from './embedded-postgres-error';

const STOP_TIMEOUT_MS = 15_000;

/**
 * Cleans up after an earlier run. A server that outlived its launcher is stopped, so that ours is
 * always our own child. A stale pid file is removed, because Postgres refuses to start if its pid
 * belongs to another process.
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
 * Stops sessions that outlived a killed server; each ends after its statement, and no new server
 * starts before. Their uncommitted work is lost, as it is for other sessions. They are only found
 * on Linux; elsewhere the start waits for them.
 */
async function endSessionsIn(dataFolder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const sessions = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isSessionIn(dataFolder, name));
  for (const pid of sessions) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // The process has just ended.
    }
  }
  await waitUntil(() => !sessions.some((pid) => isSessionIn(dataFolder, pid)), STOP_TIMEOUT_MS);
}

/** Sessions run in the data folder and show it in their process title. */
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

/**
 * Returns whether the process is the server: its command line contains the folder, which that of a
 * reused pid does not.
 */
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

/** Polls every 20 ms for at most `timeoutMs`. */
export async function waitUntil(condition: () => boolean, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!condition() && Date.now() < deadline) await delay(20);
}
