// Builds the apps when a source changed since the last build. The commands are the `build` targets of the Nx projects; they are
// run directly because starting Nx takes longer than all builds together.
const { createHash } = require('node:crypto');
const { spawn } = require('node:child_process');
const { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { withLock } = require('./lock.cjs');
const { ROOT, StartError, runtimeEnvironment } = require('./runtime.cjs');

const STAMP = join(ROOT, 'dist', '.build-stamp');
const LOCK = join(ROOT, 'dist', '.build-lock');
/** What Node.js keeps of the code that it has compiled; starts are a seventh quicker by it. */
const COMPILE_CACHE = join(ROOT, 'dist', '.compile-cache');
const SHARED_INPUTS = ['.swcrc', 'tsconfig.base.json', 'package-lock.json'];
const NOT_BUILT = /\.(?:int-|e2e-)?spec\.ts$/;

function appNames() {
  return readdirSync(join(ROOT, 'apps')).filter((app) =>
    existsSync(join(ROOT, 'apps', app, 'src', 'main.ts')),
  );
}

/** @param {string} folder */
function sourceFiles(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !NOT_BUILT.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** @param {string[]} apps */
function fingerprint(apps) {
  const libs = readdirSync(join(ROOT, 'libs')).filter((lib) => lib !== 'testing');
  const folders = [...apps.map((app) => `apps/${app}/src`), ...libs.map((lib) => `libs/${lib}/src`)];
  const files = [
    ...SHARED_INPUTS.map((file) => join(ROOT, file)),
    ...apps.map((app) => join(ROOT, 'apps', app, 'project.json')),
    ...folders.filter((folder) => existsSync(join(ROOT, folder))).flatMap(sourceFiles),
  ];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/** @param {string[]} apps @param {string} stamp */
function isBuilt(apps, stamp) {
  const entries = apps.map((app) => join(ROOT, 'dist', app, 'apps', app, 'src', 'main.js'));
  return entries.every(existsSync) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp;
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

/** Leaves `dist/<app>` in step with the sources. Says nothing when there is nothing to do. Who comes while another builds waits for it. */
async function ensureBuilt() {
  const apps = appNames();
  const stamp = fingerprint(apps);
  if (isBuilt(apps, stamp)) return;
  await withLock(LOCK, async () => {
    if (isBuilt(apps, stamp)) return;
    console.log(`Building ${apps.join(', ')} …`);
    rmSync(STAMP, { force: true });
    // Node.js never removes what no build needs any more.
    rmSync(COMPILE_CACHE, { recursive: true, force: true });
    await Promise.all(apps.map(build));
    writeFileSync(STAMP, stamp);
  });
}

module.exports = { COMPILE_CACHE, ensureBuilt };
