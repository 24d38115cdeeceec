// `npm run test:clients`: runs third-party clients from the npm registry against the product with
// its sandbox provider, each in an empty environment and home folder: a turn with a tool, and a
// streamed text. Installs them into the user's cache folder (about 1 GB).
const { spawn, spawnSync } = require('node:child_process');
const {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { homedir, tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { commandLines, quotesResult } = require('./clients/command-lines.cjs');
const { startProduct } = require('./product.cjs');
const { runMain, runtimeEnvironment, runtimePath } = require('./runtime.cjs');

const SOURCES = join(__dirname, 'clients');
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tollgate-clients');
const CLIENT_MS = 120_000;
/** Files that the client scripts share. */
const SHARED = new Set(['turn.mjs', 'ai-sdk.mjs']);

/** Packages whose install scripts must run before their programs exist. */
const SCRIPTED = ['@anthropic-ai/claude-code', 'opencode-ai'];

/** Installs the clients, once for each version of their manifest. */
function install() {
  const manifest = readFileSync(join(SOURCES, 'package.json'), 'utf8');
  const mark = join(CACHE, 'installed.json');
  mkdirSync(CACHE, { recursive: true });
  for (const file of readdirSync(SOURCES)) cpSync(join(SOURCES, file), join(CACHE, file));
  if (existsSync(mark) && readFileSync(mark, 'utf8') === manifest) return;
  console.log(`installing the clients into ${CACHE}`);
  const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: CACHE,
    env: runtimeEnvironment(),
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The clients could not be installed.');
  // The scripts of these packages fetch or link programs; the user's npm may be set to ignore
  // scripts.
  const scripts = ['rebuild', ...SCRIPTED, '--ignore-scripts=false', '--loglevel=error'];
  const rebuilt = spawnSync('npm', scripts, { cwd: CACHE, env: runtimeEnvironment(), stdio: 'inherit' });
  if (rebuilt.status !== 0) throw new Error('The scripts of the clients failed.');
  writeFileSync(mark, manifest);
}

/**
 * Makes the workspace accept Portkey's headers, which its SDK sends.
 * @param {Record<string, string>} credentials
 */
async function acceptPortkeyHeaders(credentials) {
  const response = await fetch(`${credentials.base_url}/admin/workspaces/${credentials.workspace_id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-gw-api-key': String(credentials.admin_api_key) },
    body: JSON.stringify({ settings: { portkey_headers: true } }),
  });
  if (!response.ok) throw new Error(`The workspace could not be set up: ${await response.text()}`);
}

/**
 * Runs a client in an empty home folder with only these variables.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ files?: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> }} setUp
 * @returns {Promise<{ status: number | null, output: string }>}
 */
function runAlone(command, args, { files = {}, environment }) {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-client-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  mkdirSync(join(home, 'work'));
  const path = [dirname(runtimePath()), '/usr/bin', '/bin'].join(':');
  const child = spawn(command, args, {
    cwd: join(home, 'work'),
    env: { HOME: home, PATH: path, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: CLIENT_MS,
  });
  let output = '';
  const keep = (/** @type {Buffer} */ chunk) => (output = (output + chunk.toString()).slice(-200_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve) => {
    child.once('close', (status) => {
      rmSync(home, { recursive: true, force: true });
      resolve({ status, output });
    });
  });
}

/** Returns the versions of the packages that a script imports, for the report. */
function versionsIn(/** @type {string} */ file) {
  const manifest = JSON.parse(readFileSync(join(SOURCES, 'package.json'), 'utf8'));
  const text = readFileSync(join(SOURCES, file), 'utf8');
  return Object.entries(manifest.dependencies)
    .filter(([name]) => text.includes(`from '${name}'`))
    .map(([name, version]) => `${name} ${String(version)}`)
    .join(', ');
}

/** @param {{ url: string, key: string }} gateway */
function* clientsOf(gateway) {
  const environment = { TOLLGATE_URL: gateway.url, TOLLGATE_KEY: gateway.key };
  for (const file of readdirSync(SOURCES).filter((name) => name.endsWith('.mjs') && !SHARED.has(name)))
    yield {
      name: versionsIn(file),
      run: () => runAlone(runtimePath(), [join(CACHE, file)], { environment }),
      passes: () => true,
    };
  const { dependencies } = JSON.parse(readFileSync(join(SOURCES, 'package.json'), 'utf8'));
  for (const { name, command, args, files, environment: own, passes } of commandLines(gateway))
    yield {
      name: `${name} ${dependencies[name]}`,
      run: () => runAlone(join(CACHE, 'node_modules', '.bin', command), args, { files, environment: own }),
      passes: passes ?? quotesResult,
    };
}

runMain(async () => {
  install();
  const { credentials, stop } = await startProduct();
  let passed = 0;
  let failed = 0;
  try {
    await acceptPortkeyHeaders(credentials);
    const { base_url: url = '', api_key: key = '' } = credentials;
    for (const client of clientsOf({ url, key })) {
      const { status, output } = await client.run();
      const isPassed = status === 0 && client.passes(output);
      if (isPassed) passed += 1;
      else failed += 1;
      console.log(`${isPassed ? 'passed' : 'FAILED'}  ${client.name}${isPassed ? '' : `\n${output}`}`);
    }
  } finally {
    await stop();
  }
  console.log(`${String(passed)} clients passed, ${String(failed)} failed`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
});
