// Installs the dependencies if the installed packages differ from the lockfile.
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { ROOT, StartError } = require('./runtime.cjs');

/** @param {string} lockfile @returns {Record<string, Record<string, unknown>> | null} */
function packagesOf(lockfile) {
  try {
    return JSON.parse(readFileSync(join(ROOT, lockfile), 'utf8')).packages;
  } catch {
    return null;
  }
}

/**
 * Returns whether the installed packages match the lockfile. npm writes
 * node_modules/.package-lock.json last, so it is absent or outdated after an interrupted install.
 */
function isInstalled() {
  const wanted = packagesOf('package-lock.json');
  const installed = packagesOf('node_modules/.package-lock.json');
  if (!wanted || !installed) return false;
  // A package that is optional may be missing: most are for another platform.
  const present = Object.entries(wanted).every(([path, { version, optional, link, peer }]) => {
    if (path === '' || link) return true;
    const there = installed[path];
    return there ? there.version === version : Boolean(optional || peer);
  });
  return present && Object.keys(installed).every((path) => path in wanted);
}

function ensureInstalled() {
  if (isInstalled()) return;
  console.log('Installing the dependencies (npm ci) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const result = spawnSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    // npm sets its own settings in the environment of `npm start`; they must not affect this call.
    env: Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_(command|lifecycle|package)/.test(name)),
    ),
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (result.error) throw new StartError(`npm could not be run: ${result.error.message}`);
  if (result.status !== 0) throw new StartError('npm ci failed; its messages are above.');
}

module.exports = { ensureInstalled };
