'use strict';

const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync, statSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { ROOT } = require('./cache.cjs');

/**
 * The latest change below a folder, in Unix milliseconds.
 * @param {string} folder
 * @returns {number}
 */
function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) latest = Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  return latest;
}

/**
 * Returns the folder of the built gateway, and builds it first if its sources are newer.
 * @param {{ gateway?: string | undefined, 'no-build'?: boolean }} options
 * @param {(line: string) => void} note
 */
function builtGateway(options, note) {
  if (options.gateway) return resolve(options.gateway);
  const build = join(ROOT, 'dist/gateway');
  const main = join(build, 'apps/gateway/src/main.js');
  const sources = [join(ROOT, 'apps/gateway/src'), join(ROOT, 'libs')];
  const stale = !existsSync(main) || Math.max(...sources.map(newest)) > statSync(main).mtimeMs;
  if (stale && !options['no-build']) {
    note('building the gateway');
    const { status, stdout, stderr } = spawnSync('npx', ['nx', 'build', 'gateway'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The gateway could not be built.\n${stdout}\n${stderr}`);
  }
  return build;
}

module.exports = { builtGateway };
