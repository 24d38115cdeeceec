// Starts the product as `npm start` does, with a data folder and ports of its own, for tools that
// test it from outside.
const { spawn } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { freePort } = require('./free-port.cjs');
const { ROOT, runtimeEnvironment, runtimePath } = require('./runtime.cjs');

const START_MS = 120_000;

/**
 * Starts the product and resolves once it is ready, with the content of its credentials file.
 * `more` returns additional environment variables for the port of the admin API.
 * @param {(adminPort: number) => Readonly<Record<string, string>>} [more]
 * @returns {Promise<{ credentials: Record<string, string>, stop: () => Promise<void> }>}
 */
async function startProduct(more = () => ({})) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-product-'));
  const [gateway, admin, worker] = await Promise.all([freePort(), freePort(), freePort()]);
  const child = spawn(runtimePath(), [join(__dirname, 'start.cjs')], {
    cwd: ROOT,
    env: runtimeEnvironment({
      DATABASE_URL: undefined,
      REDIS_URL: undefined,
      DATA_DIR: folder,
      GATEWAY_PORT: String(gateway),
      ADMIN_PORT: String(admin),
      WORKER_PORT: String(worker),
      ...more(admin),
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The product did not start:\n${output}`)), START_MS);
    const take = (/** @type {Buffer} */ chunk) => {
      output += chunk.toString();
      if (output.includes('Tollgate is ready')) resolve(clearTimeout(timer));
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', () => reject(new Error(`The product ended:\n${output}`)));
  });
  const credentials = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  return { credentials, stop };
}

module.exports = { startProduct };
