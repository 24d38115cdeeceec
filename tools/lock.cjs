// Mutual exclusion of processes on one machine. A lock is a file with the process id of its holder,
// so that the lock of a dead process can be taken over.
const { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { StartError } = require('./runtime.cjs');

const POLL_MS = 100;
const PATIENCE_MS = 5 * 60_000;

/** @param {string} path */
function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (/** @type {any} */ error) {
    return error.code === 'EPERM';
  }
}

/**
 * Takes the lock if it is free. A hard link either appears with its content or fails, so that no
 * process reads a lock without a holder.
 * @param {string} path
 * @param {string} own
 */
function take(path, own) {
  try {
    linkSync(own, path);
    return true;
  } catch (/** @type {any} */ error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
}

/**
 * Runs `work` while no other process holds the lock at `path`. Waits for the lock at most as long
 * as a build may take.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  const own = `${path}.${String(process.pid)}`;
  writeFileSync(own, String(process.pid));
  try {
    const until = Date.now() + PATIENCE_MS;
    while (!take(path, own)) {
      const holder = holderOf(path);
      if (holder > 0 && !isAlive(holder)) rmSync(path, { force: true });
      else if (Date.now() > until) throw new StartError(`Process ${String(holder)} still holds ${path}.`);
      else await delay(POLL_MS);
    }
    try {
      return await work();
    } finally {
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

module.exports = { withLock };
