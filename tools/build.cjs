// Builds the servers and the console, each if one of its sources changed since its last build. The
// commands are the `build` targets of the Nx projects; they are run directly because starting Nx
// takes longer than all builds together.
const { createHash } = require('node:crypto');
const { spawn } = require('node:child_process');
const { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { withLock } = require('./lock.cjs');
const { ROOT, StartError, runtimeEnvironment } = require('./runtime.cjs');

const LOCK = join(ROOT, 'dist', '.build-lock');
/** Folder in which Node.js caches compiled code, which makes starts a seventh faster. */
const COMPILE_CACHE = join(ROOT, 'dist', '.compile-cache');
const SHARED_INPUTS = ['.swcrc', 'tsconfig.base.json', 'package-lock.json'];
const NOT_BUILT = /\.(?:int-|e2e-)?spec\.tsx?$/;
const CONSOLE = 'console';

/**
 * Apps that are built together, with the sources of all of them.
 * @typedef {{
 *   apps: string[];
 *   folders: string[];
 *   files: string[];
 *   stamp: string;
 *   made: string[];
 * }} Part
 */

/** @returns {Part} */
function servers() {
  const apps = readdirSync(join(ROOT, 'apps')).filter((app) =>
    existsSync(join(ROOT, 'apps', app, 'src', 'main.ts')),
  );
  const libs = readdirSync(join(ROOT, 'libs')).filter((lib) => lib !== 'testing');
  return {
    apps,
    folders: [...apps.map((app) => `apps/${app}/src`), ...libs.map((lib) => `libs/${lib}/src`)],
    files: [...SHARED_INPUTS, ...apps.map((app) => `apps/${app}/project.json`)],
    stamp: '.build-stamp',
    made: apps.map((app) => `${app}/apps/${app}/src/main.js`),
  };
}

/** @returns {Part} */
function consolePart() {
  const parts = ['project.json', 'index.html', 'build.cjs', 'vite.config.mts'];
  const libs = ['auth-scopes', 'prompts', 'contracts', 'kernel'];
  return {
    apps: [CONSOLE],
    folders: [`apps/${CONSOLE}/src`, ...libs.map((lib) => `libs/${lib}/src`)],
    files: [...SHARED_INPUTS, ...parts.map((file) => `apps/${CONSOLE}/${file}`)],
    stamp: '.console-stamp',
    made: [`${CONSOLE}/index.html`],
  };
}

/** @param {string} folder */
function sourceFiles(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !NOT_BUILT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @param {Part} part */
function fingerprint({ folders, files }) {
  const paths = [
    ...files.map((file) => join(ROOT, file)),
    ...folders.filter((folder) => existsSync(join(ROOT, folder))).flatMap(sourceFiles),
  ];
  const hash = createHash('sha256');
  for (const path of paths.sort()) hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

/** @param {Part} part @param {string} print */
function isBuilt({ stamp, made }, print) {
  const path = join(ROOT, 'dist', stamp);
  const isMade = made.every((file) => existsSync(join(ROOT, 'dist', file)));
  return isMade && existsSync(path) && readFileSync(path, 'utf8') === print;
}

/** @param {string} app */
function build(app) {
  const { targets } = JSON.parse(readFileSync(join(ROOT, 'apps', app, 'project.json'), 'utf8'));
  /** @type {Promise<void>} */
  const built = new Promise((resolve, reject) => {
    const child = spawn(targets.build.options.command, {
      cwd: ROOT,
      env: runtimeEnvironment(),
      shell: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let messages = '';
    child.stderr.on('data', (chunk) => (messages += chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new StartError(`The build of ${app} failed:\n${messages.trim()}`));
    });
  });
  return built;
}

/**
 * Builds `dist/<app>` if it is outdated, and prints nothing otherwise. Waits while another process
 * builds.
 */
async function ensureBuilt() {
  const parts = [servers(), consolePart()].map((part) => ({ part, print: fingerprint(part) }));
  const stale = () => parts.filter(({ part, print }) => !isBuilt(part, print));
  if (stale().length === 0) return;
  await withLock(LOCK, async () => {
    const toBuild = stale();
    if (toBuild.length === 0) return;
    console.log(`Building ${toBuild.flatMap(({ part }) => part.apps).join(', ')} …`);
    for (const { part } of toBuild) rmSync(join(ROOT, 'dist', part.stamp), { force: true });
    // Node.js never removes cached code that no build uses any more.
    if (toBuild.some(({ part }) => !part.apps.includes(CONSOLE)))
      rmSync(COMPILE_CACHE, { recursive: true, force: true });
    await Promise.all(
      toBuild.map(async ({ part, print }) => {
        await Promise.all(part.apps.map(build));
        writeFileSync(join(ROOT, 'dist', part.stamp), print);
      }),
    );
  });
}

module.exports = { COMPILE_CACHE, ensureBuilt };
