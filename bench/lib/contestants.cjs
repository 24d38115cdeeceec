'use strict';

const { randomBytes } = require('node:crypto');
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { CONFIG, PROVIDER, documentsFor } = require('./documents.cjs');
const { listening, query, start, startScript, temporaryFolder } = require('./processes.cjs');
const { freePort } = require('../../tools/free-port.cjs');
require('../../tools/typescript.cjs');
const { NODE_FLAGS } = require('../../apps/launcher/src/node-flags.ts');

/** @typedef {import('./processes.cjs').BenchServer} BenchServer */
/** @typedef {import('./measure.cjs').Contestant} Contestant */
/** @typedef {Awaited<ReturnType<typeof startGateway>>} StartedGateway */
/**
 * What all gateways of a run share. `build`: folder of the built gateway. `node`: path of Node.js.
 * @typedef {{
 *   build: string,
 *   node: string,
 *   stubPort: number,
 *   flags?: readonly string[] | undefined,
 *   env?: NodeJS.ProcessEnv,
 *   newControlPlane: () => Promise<BenchServer>,
 * }} Common
 */

const PATH = '/v1/chat/completions';
const UNUSED_KEY = { authorization: 'Bearer sk-bench' };
const SERVICE_TOKEN = 'service-token-of-the-benchmark';

/**
 * Starts our built gateway with a stub of the control plane. Returns the headers that requests to it may have. `limited` and
 * `configs`: as for `documentsFor`.
 * @param {Omit<Common, 'newControlPlane'> & {
 *   controlPlane: BenchServer,
 *   master?: Buffer,
 *   limited?: readonly { name: string, rateLimits?: readonly object[], usageLimits?: readonly object[] }[],
 *   configs?: Readonly<Record<string, object>>,
 *   cores?: 'proxy' | 'rest' | 'all',
 * }} options
 */
async function startGateway({
  build,
  node,
  stubPort,
  flags = [],
  env = {},
  controlPlane,
  master = randomBytes(32),
  limited = [],
  configs = {},
  cores = 'proxy',
}) {
  const { documents, keys } = documentsFor(build, master, stubPort, { limited, configs });
  await query(controlPlane.child, { documents });
  const port = await freePort();
  const origin = `http://127.0.0.1:${controlPlane.port}`;
  const child = start(
    cores,
    node,
    [...NODE_FLAGS.gateway, ...flags, join(build, 'apps/gateway/src/main.js')],
    {
      env: {
        GATEWAY_PORT: String(port),
        ADMIN_URL: origin,
        WORKER_URL: origin,
        DATA_DIR: temporaryFolder('gateway'),
        ENCRYPTION_KEY: master.toString('base64'),
        SERVICE_TOKEN,
        TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
        LOG_LEVEL: 'warn',
        ...env,
      },
    },
  );
  await listening(child, port);
  const bearer = (/** @type {string} */ key) => ({ authorization: `Bearer ${keys[key]}` });
  const saved = { 'x-gw-provider': `@${PROVIDER}` };
  const inline = {
    'x-gw-api-key': keys.lean ?? '',
    'x-gw-provider': 'openai',
    'x-gw-custom-host': `http://127.0.0.1:${stubPort}/v1`,
    authorization: 'Bearer sk-bench',
  };
  return {
    child,
    port,
    keys,
    /**
     * Returns the headers of a request with one of the keys and one of the saved configs.
     * @param {string} key
     * @param {string} config
     */
    with: (key, config) => ({ ...bearer(key), 'x-gw-config': config }),
    requests: {
      full: { ...bearer('limited'), 'x-gw-config': CONFIG },
      withoutConfig: { ...bearer('limited'), ...saved },
      withBudgets: { ...bearer('budgeted'), 'x-gw-config': CONFIG },
      withoutLimit: { ...bearer('unlimited'), 'x-gw-config': CONFIG },
      withoutBodies: { ...bearer('limited'), 'x-gw-config': CONFIG, 'x-gw-debug': 'false' },
      withoutAll: { ...bearer('lean'), ...saved },
      bare: inline,
    },
  };
}

/**
 * @param {string} nginx
 * @param {number} stubPort
 */
async function startNginx(nginx, stubPort) {
  const port = await freePort();
  const folder = temporaryFolder('nginx');
  mkdirSync(join(folder, 'tmp'));
  const file = join(folder, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path tmp/${name};`)
    .join(' ');
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 100000000; keepalive_timeout 75s; ${temporary}
  client_body_buffer_size 64k; tcp_nodelay on;
  upstream stub { server 127.0.0.1:${stubPort}; keepalive 512; keepalive_requests 100000000; }
  server { listen 127.0.0.1:${port};
    location / { proxy_pass http://stub; proxy_http_version 1.1; proxy_set_header Connection ""; } } }
`,
  );
  const child = start('proxy', nginx, ['-p', folder, '-c', file, '-e', 'stderr'], { cwd: folder });
  await listening(child, port);
  return { child, port };
}

/** @param {{ script: string, node: string, stubPort: number }} options */
async function startPeer({ script, node, stubPort }) {
  const port = await freePort();
  const child = start('proxy', node, [script, `--port=${port}`, '--headless'], {
    env: { NODE_ENV: 'production' },
  });
  await listening(child, port);
  const headers = {
    ...UNUSED_KEY,
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${stubPort}/v1`,
  };
  return { child, port, headers };
}

/**
 * @param {string} id
 * @param {string} name
 * @param {Contestant['child']} child
 * @param {number} port
 * @param {Contestant['headers']} headers
 * @param {Partial<Contestant>} extra
 * @returns {Contestant}
 */
const contestant = (id, name, child, port, headers, extra = {}) => ({
  id,
  name,
  child,
  port,
  headers,
  path: PATH,
  ...extra,
});

/**
 * Starts the wanted contestants on one Node.js version; without the programs `peer` and `nginx`, these are left out.
 * @param {Common & { wants: (id: string) => boolean, version: string, peer: string | null, nginx: string | null }} options
 */
async function startContestants({
  wants,
  node,
  version,
  stubPort,
  build,
  flags,
  peer,
  nginx,
  newControlPlane,
}) {
  /**
   * @param {string} id
   * @param {string} name
   * @param {'full' | 'bare'} request
   * @param {Partial<Contestant>} extra
   */
  const gateway = async (id, name, request, extra = {}) => {
    const controlPlane = await newControlPlane();
    const { child, port, requests } = await startGateway({ build, node, stubPort, flags, controlPlane });
    return contestant(`${id}@${version}`, name, child, port, requests[request], { controlPlane, ...extra });
  };
  const list = [];
  if (wants('gateway'))
    list.push(await gateway('gateway', 'Tollgate, everything on', 'full', { logsBodies: true }));
  if (wants('bare')) list.push(await gateway('bare', 'Tollgate, bare', 'bare'));
  for (const [id, name, script] of /** @type {const} */ ([
    ['undici', 'bare undici dispatch', 'undici-proxy.cjs'],
    ['http', 'node:http, piping', 'http-proxy.cjs'],
  ])) {
    if (!wants(id)) continue;
    const { child, port } = await startScript('proxy', node, script, [String(stubPort)]);
    list.push(contestant(`${id}@${version}`, name, child, port, UNUSED_KEY));
  }
  if (peer) {
    const { child, port, headers } = await startPeer({ script: peer, node, stubPort });
    list.push(contestant(`peer@${version}`, '@portkey-ai/gateway 1.15.2', child, port, headers));
  }
  if (nginx) {
    const { child, port } = await startNginx(nginx, stubPort);
    list.push(contestant('nginx', 'nginx', child, port, UNUSED_KEY));
  }
  return list;
}

/**
 * Starts contestants for the gateway with one feature less each, and without those that only a setting turns off.
 * @param {Common} options
 */
async function startStages({ node, stubPort, build, flags, newControlPlane }) {
  const list = [];
  const controlPlane = await newControlPlane();
  const { child, port, requests } = await startGateway({ build, node, stubPort, flags, controlPlane });
  for (const [id, name, request] of /** @type {const} */ ([
    ['full', 'everything on', 'full'],
    ['budgets', 'with a budget of the workspace and two policies on cost', 'withBudgets'],
    ['no-config', 'without the saved config', 'withoutConfig'],
    ['no-limit', 'without the rate limit', 'withoutLimit'],
    ['no-bodies', 'without bodies in the log', 'withoutBodies'],
    ['no-all', 'without these three', 'withoutAll'],
    ['bare', 'bare: provider and host in headers', 'bare'],
  ])) {
    list.push(contestant(id, name, child, port, requests[request]));
  }
  const away = `http://127.0.0.1:${await freePort()}`;
  /**
   * @param {string} id
   * @param {string} name
   * @param {NodeJS.ProcessEnv} env
   */
  const variant = async (id, name, env) => {
    const started = await startGateway({
      build,
      node,
      stubPort,
      flags,
      controlPlane: await newControlPlane(),
      env,
    });
    list.push(contestant(id, name, started.child, started.port, started.requests.full));
  };
  await variant('no-shipping', 'journal written, nothing shipped', { WORKER_URL: away });
  await variant('no-journal', 'journal at its cap: records made and dropped', {
    WORKER_URL: away,
    JOURNAL_MAX_BYTES: '1048576',
  });
  const { child: bareChild, port: barePort } = await startScript('proxy', node, 'undici-proxy.cjs', [
    String(stubPort),
  ]);
  list.push(contestant('undici', 'bare undici dispatch', bareChild, barePort, UNUSED_KEY));
  return list;
}

module.exports = {
  PATH,
  SERVICE_TOKEN,
  UNUSED_KEY,
  contestant,
  startContestants,
  startGateway,
  startPeer,
  startStages,
};
