// Jest's set-up of the end-to-end tests: builds the product, and starts it once, so that suites can begin with a copy of its
// data folder instead of making a database each.
const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { ensureBuilt } = require('./build.cjs');
const { freePort } = require('./free-port.cjs');

/** Names the folder for the suites; see `e2e/spec-support/prepared-data.ts`. */
const PREPARED_DATA = 'TOLLGATE_TEST_PREPARED_DATA';
const START_TIMEOUT_MS = 120_000;
/** The product starts its own servers, as for its users. */
const OURS = { DATABASE_URL: undefined, REDIS_URL: undefined, NODE_ENV: undefined };

/**
 * Starts the product in the folder and stops it once it is ready. Rejects with its output when it does not get there.
 * @param {string} folder
 */
async function prepare(folder) {
  const [gateway, admin, worker] = await Promise.all([freePort(), freePort(), freePort()]);
  const ports = { GATEWAY_PORT: String(gateway), ADMIN_PORT: String(admin), WORKER_PORT: String(worker) };
  const child = spawn(process.execPath, [join(__dirname, 'start.cjs')], {
    env: { ...process.env, ...OURS, ...ports, DATA_DIR: folder, TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: START_TIMEOUT_MS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Tollgate is ready')) child.kill('SIGINT');
    });
  await new Promise((resolve) => child.once('exit', resolve));
  if (!output.includes('Tollgate is ready')) throw new Error(`The product did not start:\n${output}`);
}

async function setUp() {
  await ensureBuilt();
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-prepared-'));
  await prepare(folder);
  process.env[PREPARED_DATA] = folder;
}

function remove() {
  const folder = process.env[PREPARED_DATA];
  if (folder) rmSync(folder, { recursive: true, force: true });
}

module.exports = Object.assign(setUp, { remove });
