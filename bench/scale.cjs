'use strict';

/**
 * Measures a control plane with a million API keys and a hundred thousand configs of one organisation: list pages and look-ups over
 * HTTP, and the memory of a gateway that keeps at most `documents` documents and gets requests with `used` of the keys. Exits with 1
 * when a bar is missed.
 *
 *     node bench/scale.cjs [--keys 1000000] [--configs 100000] [--used 50000] [--documents 10000] [--calls 200]
 *
 * `--documents`: at least 1000.
 */
const { randomBytes, randomUUID } = require('node:crypto');
const { chmodSync, readFileSync } = require('node:fs');
const { Agent, request } = require('node:http');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { SHIPPED, nodeOf } = require('./lib/cache.cjs');
const { residentBytes } = require('./lib/proc-stat.cjs');
const { listening, pause, start, stopAll, temporaryFolder } = require('./lib/processes.cjs');
const { freePort } = require('../tools/free-port.cjs');
const { markdown } = require('./lib/report.cjs');

require('../tools/typescript.cjs');
const { NODE_FLAGS } = require('../apps/launcher/src/node-flags.ts');
const { EmbeddedPostgres } = require('../libs/embedded-postgres/src/index.ts');
const { fill } = require('./lib/control-plane-rows.cjs');
const { ensureBuilt } = require('../tools/build.cjs');

const ROOT = join(__dirname, '..');
const LIMIT_MS = 50;
const WORKSPACES = 1_000;
const AT_A_TIME = 8;
/** Memory of a document with the objects that it refers to, and of garbage that is not yet collected. */
const BYTES_PER_DOCUMENT = 4_096;
const GARBAGE_BYTES = 64 * 1_048_576;

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '1000000' },
    configs: { type: 'string', default: '100000' },
    used: { type: 'string', default: '50000' },
    documents: { type: 'string', default: '10000' },
    calls: { type: 'string', default: '200' },
  },
});
const [KEYS, CONFIGS, USED] = [Number(values.keys), Number(values.configs), Number(values.used)];
const [DOCUMENTS, CALLS] = [Number(values.documents), Number(values.calls)];
/** @typedef {Awaited<ReturnType<typeof startPlatform>>} Platform */
/** @typedef {import('./lib/control-plane-rows.cjs').Samples} Samples */

/** @param {string} line */
const note = (line) => process.stderr.write(`scale: ${line}\n`);
/**
 * @param {readonly number[]} sorted
 * @param {number} part
 */
const percentile = (sorted, part) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
/** @param {number} index */
const secretOf = (index) => `scale${String(index).padStart(27, '0')}`;

/**
 * Starts a built app.
 * @param {string} app
 * @param {string} file
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} flags
 */
function startApp(app, file, env, flags = []) {
  const entry = join(ROOT, 'dist', app, 'apps', app, 'src', file);
  return start('rest', nodeOf(SHIPPED, note), [...flags, entry], { env });
}

/** Starts Postgres and sets the control plane up. */
async function startPlatform() {
  await ensureBuilt();
  const folder = temporaryFolder('scale');
  // Postgres runs as another user, and uses another folder when it can't enter this one.
  chmodSync(folder, 0o711);
  const postgres = new EmbeddedPostgres({
    home: join(folder, 'postgres'),
    password: randomBytes(16).toString('hex'),
    logFile: join(folder, 'postgres.log'),
  });
  await postgres.start();
  const master = randomBytes(32);
  const [gateway, admin, worker] = await Promise.all([freePort(), freePort(), freePort()]);
  /** @type {NodeJS.ProcessEnv & { CREDENTIALS_FILE: string }} */
  const env = {
    DATABASE_URL: postgres.url,
    ENCRYPTION_KEY: master.toString('base64'),
    SERVICE_TOKEN: randomBytes(32).toString('hex'),
    ADMIN_PORT: String(admin),
    GATEWAY_PORT: String(gateway),
    WORKER_PORT: String(worker),
    ADMIN_URL: `http://127.0.0.1:${admin}`,
    WORKER_URL: `http://127.0.0.1:${worker}`,
    DATA_DIR: folder,
    CREDENTIALS_FILE: join(folder, 'credentials.json'),
    SANDBOX_ENABLED: 'true',
    CONTROL_PLANE_RATE_LIMIT: '0',
    CONSOLE_RATE_LIMIT: '0',
    LOG_LEVEL: 'error',
  };
  const setup = startApp('admin-api', 'setup.js', env);
  const code = await setup.gone;
  if (code !== 0) throw new Error(`The set-up failed: ${setup.output}`);
  /** @type {{ organisation_id: string, workspace_id: string, admin_api_key: string }} */
  const credentials = JSON.parse(readFileSync(env.CREDENTIALS_FILE, 'utf8'));
  return { postgres, master, env, credentials, ports: { gateway, admin, worker } };
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });

/**
 * Resolves to the milliseconds until the response is complete; rejects for another status than the expected ones.
 * @param {number} port
 * @param {string} path
 * @param {import('node:http').OutgoingHttpHeaders} headers
 * @param {{ method?: string, body?: string, expected?: readonly number[] }} options
 * @returns {Promise<number>}
 */
function call(port, path, headers, { method = 'GET', body, expected = [200] } = {}) {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const req = request({ agent, host: '127.0.0.1', port, path, method, headers }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk) => (text += chunk));
      res.on('end', () => {
        if (!expected.includes(Number(res.statusCode)))
          reject(new Error(`${path}: ${res.statusCode} ${text.slice(0, 500)}`));
        else resolve(performance.now() - startedAt);
      });
    });
    req.on('error', reject);
    req.end(body);
  });
}

const PAGE = 50;
/** @param {readonly string[]} list */
const any = (list) => list[Math.floor(Math.random() * list.length)];

/** @typedef {readonly [name: string, pathOf: () => string]} Read */
/** A call that reads no rows: the cost of HTTP and the machine. @type {Read} */
const NOTHING = ['(health: no rows)', () => '/health'];

/**
 * Returns the name and path of each kind of read; each call gets another path.
 * @param {Pick<Samples, 'keys' | 'workspaces' | 'configs'>} samples
 * @returns {Read[]}
 */
function reads({ keys, workspaces, configs }) {
  const lastPage = Math.floor((KEYS * 0.9) / PAGE);
  const list = (/** @type {string} */ query) => `/v1/api-keys?page_size=${String(PAGE)}&${query}`;
  return [
    ['API keys: first page', () => list('')],
    ['API keys: page 2 to 200', () => list(`current_page=${String(1 + Math.floor(Math.random() * 200))}`)],
    ['API keys: any page', () => list(`current_page=${String(Math.floor(Math.random() * lastPage))}`)],
    ['API keys: last page', () => list(`current_page=${String(lastPage)}`)],
    ['API keys: exhausted', () => list('status=exhausted')],
    [
      'API keys: expired, any page',
      () => list(`status=expired&current_page=${String(Math.floor(Math.random() * 300))}`),
    ],
    ['API keys: of a workspace', () => list(`workspace_id=${any(workspaces)}`)],
    ['API keys: 50 by ids', () => list(`ids=${Array.from({ length: PAGE }, () => any(keys)).join(',')}`)],
    ['API key: by id', () => `/v1/api-keys/${any(keys)}`],
    ['API key: unknown', () => `/v1/api-keys/${randomUUID()}`],
    ['Workspaces: first page', () => '/v1/workspaces?page_size=50'],
    ['Workspaces: by name', () => '/v1/workspaces?exact_name=Workspace%20500'],
    ['Workspace: by slug', () => `/v1/workspaces/${any(workspaces)}`],
    ['Configs: of a workspace', () => `/v1/configs?page_size=50&workspace_id=${any(workspaces)}`],
    ['Configs: second page', () => `/v1/configs?page_size=50&current_page=1&workspace_id=${any(workspaces)}`],
    ['Config: by slug', () => `/v1/configs/${any(configs)}`],
  ];
}

/**
 * Returns the times of each kind of read, in milliseconds.
 * @param {Platform} platform
 * @param {Samples} samples
 */
async function measureReads(platform, samples) {
  const { port, key } = { port: platform.ports.admin, key: platform.credentials.admin_api_key };
  const headers = { 'x-gw-api-key': key };
  /** @type {{ name: string, p50: number, p95: number, max: number }[]} */
  const rows = [];
  for (const [name, pathOf] of [NOTHING, ...reads(samples)]) {
    for (let warm = 0; warm < 20; warm += 1) await call(port, pathOf(), headers, { expected: [200, 404] });
    /** @type {number[]} */
    const times = [];
    for (let index = 0; index < CALLS; index += 1)
      times.push(await call(port, pathOf(), headers, { expected: [200, 404] }));
    times.sort((one, other) => one - other);
    rows.push({ name, p50: percentile(times, 0.5), p95: percentile(times, 0.95), max: Math.max(...times) });
    note(`${name}: p95 ${percentile(times, 0.95).toFixed(1)} ms`);
  }
  return rows;
}

const ATTEMPTS_MAX = 30;
let retries = 0;

/**
 * Calls a model with each of the keys from `first` to `last`.
 * @param {number} port
 * @param {number} first
 * @param {number} last
 */
async function callWithEach(port, first, last) {
  let next = first;
  const body = JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] });
  const caller = async () => {
    while (next <= last) {
      const headers = {
        'x-gw-api-key': secretOf(next),
        'x-gw-provider': '@sandbox',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      next += 1;
      // On a busy machine, a gateway may learn of a new key late, and reads it again after a second.
      for (let attempt = 1; ; attempt += 1) {
        try {
          await call(port, '/v1/chat/completions', headers, { method: 'POST', body });
          break;
        } catch (error) {
          if (attempt === ATTEMPTS_MAX) throw error;
          retries += 1;
          await pause(1_000);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, caller));
}

/**
 * Returns the number of documents that the gateway keeps.
 * @param {Pick<Platform, 'ports' | 'env'>} platform
 * @returns {Promise<number>}
 */
async function documentsOf({ ports, env }) {
  const response = await fetch(`http://127.0.0.1:${String(ports.gateway)}/health/parts`, {
    headers: { authorization: `Bearer ${env.SERVICE_TOKEN}` },
  });
  const { parts } = /** @type {{ parts: { name: string, figures: Record<string, number> }[] }} */ (
    await response.json()
  );
  return parts.find(({ name }) => name === 'read_model')?.figures.documents ?? NaN;
}

/**
 * Returns the documents and the resident memory of the gateway after different numbers of keys.
 * @param {Platform} platform
 */
async function measureMemory(platform) {
  const worker = startApp('worker', 'main.js', platform.env);
  await listening(worker, platform.ports.worker);
  const own = { READ_MODEL_MAX_DOCUMENTS: String(DOCUMENTS), DATABASE_URL: undefined };
  const gateway = startApp('gateway', 'main.js', { ...platform.env, ...own }, NODE_FLAGS.gateway);
  const port = platform.ports.gateway;
  await listening(gateway, port);
  /** @type {{ keys: string, bytes: number, documents: number }[]} */
  const rows = [];
  const measure = async (/** @type {string} */ keys) => {
    const bytes = residentBytes([gateway.pid]);
    rows.push({ keys, bytes, documents: await documentsOf(platform) });
    note(`${keys} keys: ${(bytes / 1_048_576).toFixed(0)} MiB`);
  };
  await measure('none');
  // Many requests with one key: the memory of requests does not depend on the number of keys.
  for (let warm = 0; warm < 2_000; warm += AT_A_TIME)
    await Promise.all(Array.from({ length: AT_A_TIME }, () => callWithEach(port, 1, 1)));
  await measure('1');
  const steps = 5;
  const size = Math.floor(USED / steps);
  for (let step = 0; step < steps; step += 1) {
    await callWithEach(port, step * size + 1, (step + 1) * size);
    await measure(String((step + 1) * size));
  }
  // The gateway reads documents again that it has dropped.
  await callWithEach(port, 1, size);
  await measure(`${String(size)} of them again`);
  return rows;
}

/**
 * Stops everything.
 * @param {Pick<Platform, 'postgres'>} platform
 */
async function end({ postgres }) {
  agent.destroy();
  await postgres.stop();
  await stopAll();
}

async function main() {
  const platform = await startPlatform();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => void end(platform).finally(() => process.exit(1)));
  try {
    note(`filling: ${String(KEYS)} keys, ${String(CONFIGS)} configs`);
    const samples = await fill(
      platform,
      { keys: KEYS, configs: CONFIGS, used: USED, workspaces: WORKSPACES, secretOf },
      note,
    );
    note(`database: ${(samples.bytes / 1_048_576).toFixed(0)} MiB`);
    const admin = startApp('admin-api', 'main.js', platform.env);
    await listening(admin, platform.ports.admin);
    const found = await measureReads(platform, samples);
    const memory = USED > 0 ? await measureMemory(platform) : [];
    const ms = (/** @type {number} */ value) => value.toFixed(1);
    const lines = [
      `${String(KEYS)} API keys, ${String(CONFIGS)} configs, ${String(WORKSPACES)} workspaces of one organisation; ${String(CALLS)} calls each.`,
      '',
      markdown(
        ['read', 'p50 ms', 'p95 ms', 'longest ms'],
        found.map(({ name, p50, p95, max }) => [name, ms(p50), ms(p95), ms(max)]),
      ),
      '',
      markdown(
        [
          'different keys through the gateway',
          `documents held, at most ${String(DOCUMENTS)}`,
          'resident MiB',
        ],
        memory.map(({ keys, documents, bytes }) => [keys, String(documents), (bytes / 1_048_576).toFixed(0)]),
      ),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    if (retries > 0) note(`${String(retries)} calls were made again`);
    const slow = found.filter(({ p95 }) => p95 > LIMIT_MS).map(({ name }) => name);
    const warm = memory.find(({ keys }) => keys === '1');
    const grown = Math.max(0, ...memory.map(({ bytes }) => bytes - (warm?.bytes ?? bytes)));
    const overfull = memory.filter(({ documents }) => documents > DOCUMENTS);
    if (slow.length > 0) note(`over ${String(LIMIT_MS)} ms: ${slow.join('; ')}`);
    const bound = DOCUMENTS * BYTES_PER_DOCUMENT + GARBAGE_BYTES;
    if (memory.length > 0)
      note(
        `the gateway grew by ${(grown / 1_048_576).toFixed(0)} MiB, bar ${(bound / 1_048_576).toFixed(0)}`,
      );
    if (slow.length > 0 || grown > bound || overfull.length > 0) process.exitCode = 1;
  } finally {
    await end(platform);
  }
}

void main();
