'use strict';

/**
 * Measures what configs do for clients of faulty providers: failures behind a fallback, a hung provider behind a breaker, a slow tail
 * behind a hedge. Each is compared with the same traffic without the fault or without the config, in one run, in interleaved rounds.
 * Exits with 1 when a bar is missed.
 *
 *     npm run bench:resilience -- [--quick] [--no-build]
 *
 * `--quick`: a tenth of the requests; its figures show only that the benchmark runs.
 */
const { Agent, request } = require('node:http');
const os = require('node:os');
const { parseArgs } = require('node:util');
const { builtGateway } = require('./lib/build.cjs');
const { SHIPPED, nodeOf, onPath } = require('./lib/cache.cjs');
const { PATH, startGateway } = require('./lib/contestants.cjs');
const { query, startScript, stopAll } = require('./lib/processes.cjs');
const { markdown, shown } = require('./lib/report.cjs');
const { chatRequest } = require('./lib/traffic.cjs');

const { values: options } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, 'no-build': { type: 'boolean', default: false } },
});
const SCALE = options.quick ? 0.1 : 1;
const FAILING = { requests: 5_000 * SCALE, share: 0.3 };
const HUNG = { rounds: 4, requests: 1_500 * SCALE, baseMs: 20, timeoutMs: 1_000, cooldownMs: 5_000 };
const TAIL = { rounds: 5, requests: 1_500 * SCALE, baseMs: 10, share: 0.03, slowMs: 400, extraMax: 0.1 };
/** @typedef {{ port: number, key: import('node:http').OutgoingHttpHeaders }} Gateway */
/** Starts a provider. @typedef {(faults: object) => Promise<import('./lib/processes.cjs').BenchServer>} Start */
/** @typedef {{ title: string, table: string, bars: { name: string, value: number, most: number }[] }} Result */

const AT_A_TIME = 16;
const BODY = chatRequest(false);

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`);
/** @param {string} line */
const note = (line) => process.stderr.write(`bench: ${line}\n`);

/**
 * @param {readonly number[]} values
 * @param {number} part
 */
const percentile = (values, part) => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
};

/**
 * Sends one request. Resolves to its milliseconds and whether it got status 200 and a whole body.
 * @param {Agent} agent
 * @param {number} port
 * @param {import('node:http').OutgoingHttpHeaders} headers
 * @returns {Promise<{ ms: number, ok: boolean }>}
 */
function sendOne(agent, port, headers) {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const done = (/** @type {boolean} */ ok) => resolve({ ms: performance.now() - startedAt, ok });
    const options = { agent, port, host: '127.0.0.1', path: PATH, method: 'POST', headers };
    const req = request(options, (res) => {
      let bytes = 0;
      res.on('data', (/** @type {Buffer} */ chunk) => (bytes += chunk.length));
      res.on('end', () => done(res.statusCode === 200 && bytes === Number(res.headers['content-length'])));
      res.on('error', () => done(false));
    });
    req.on('error', () => done(false));
    req.end(BODY);
  });
}

/**
 * Sends `count` requests, 16 at a time. Returns their milliseconds and the number of errors.
 * @param {Gateway} gateway
 * @param {object} config
 * @param {number} count
 */
async function send(gateway, config, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  const headers = {
    ...gateway.key,
    'x-gw-config': JSON.stringify(config),
    'content-type': 'application/json',
    'content-length': BODY.length,
  };
  /** @type {{ ms: number, ok: boolean }[]} */
  const results = [];
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      results.push(await sendOne(agent, gateway.port, headers));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  agent.destroy();
  return { ms: results.map(({ ms }) => ms), errors: results.filter(({ ok }) => !ok).length };
}

/** @param {{ port: number }} provider */
const targetOf = ({ port }) => ({
  provider: 'openai',
  api_key: 'sk-bench',
  custom_host: `http://127.0.0.1:${port}/v1`,
});

/** @param {import('./lib/processes.cjs').BenchServer} provider */
async function calls(provider) {
  /** @type {{ requests: number }} */
  const { requests } = await query(provider.child, {});
  return requests;
}

/**
 * @param {Gateway} gateway
 * @param {Start} start
 * @returns {Promise<Result>}
 */
async function failing(gateway, start) {
  const [primary, spare] = [await start({ failing: FAILING.share }), await start({})];
  const alone = await send(gateway, targetOf(primary), FAILING.requests);
  const config = { strategy: { mode: 'fallback' }, targets: [targetOf(primary), targetOf(spare)] };
  const { errors } = await send(gateway, config, FAILING.requests);
  const row = (/** @type {string} */ name, /** @type {number} */ count) => [
    name,
    `${count} of ${FAILING.requests}`,
    shown((100 * count) / FAILING.requests, 1),
  ];
  return {
    title: `A primary that fails ${FAILING.share * 100} % of its calls (503, or a reset connection)`,
    table: markdown(
      ['', 'Errors of clients', '%'],
      [row('alone', alone.errors), row('with a fallback', errors)],
    ),
    bars: [{ name: 'errors of clients with a fallback', value: errors, most: 0 }],
  };
}

/**
 * @param {Gateway} gateway
 * @param {Start} start
 * @returns {Promise<Result>}
 */
async function hung(gateway, start) {
  const { rounds, requests, baseMs, timeoutMs, cooldownMs } = HUNG;
  const [well, sick, spare] = [await start({ baseMs }), await start({ hung: true }), await start({ baseMs })];
  const over = (/** @type {{ port: number }} */ primary) => ({
    strategy: { mode: 'fallback', cb_config: { consecutive_failures: 5, cooldown_interval: cooldownMs } },
    targets: [{ ...targetOf(primary), request_timeout: timeoutMs }, targetOf(spare)],
  });
  /** @type {Record<'healthy' | 'opening' | 'open', number[]>} */
  const measured = { healthy: [], opening: [], open: [] };
  let errors = 0;
  for (let round = 0; round < rounds; round += 1) {
    const healthy = await send(gateway, over(well), requests);
    measured.healthy.push(...healthy.ms);
    const broken = await send(gateway, over(sick), requests);
    (round === 0 ? measured.opening : measured.open).push(...broken.ms);
    errors += healthy.errors + broken.errors;
  }
  const row = (/** @type {string} */ name, /** @type {number[]} */ ms) => [
    name,
    String(ms.length),
    shown(percentile(ms, 0.5), 1),
    shown(percentile(ms, 0.99), 1),
    shown(Math.max(...ms), 0),
    String(ms.filter((one) => one >= timeoutMs).length),
  ];
  return {
    title: `A primary that hangs, behind a breaker (timeout ${timeoutMs} ms, cooldown ${cooldownMs} ms)`,
    table: markdown(
      ['', 'Requests', 'p50 ms', 'p99 ms', 'max ms', 'waited for the timeout'],
      [
        row('primary healthy', measured.healthy),
        row('hung, the breaker opens', measured.opening),
        row('hung, after that', measured.open),
      ],
    ),
    bars: [
      { name: 'errors of clients', value: errors, most: 0 },
      {
        name: 'p99 with the primary hung / healthy',
        value: percentile(measured.open, 0.99) / percentile(measured.healthy, 0.99),
        most: 2,
      },
    ],
  };
}

/**
 * @param {Gateway} gateway
 * @param {Start} start
 * @returns {Promise<Result>}
 */
async function tail(gateway, start) {
  const { rounds, requests, baseMs, share, slowMs, extraMax } = TAIL;
  const faults = { baseMs, slow: share, slowMs };
  const [plain, hedged] = [await start(faults), await start(faults)];
  const hedge = { strategy: { mode: 'hedge' }, targets: [targetOf(hedged)] };
  // The delay of a hedge is derived from earlier requests.
  await send(gateway, targetOf(plain), 200);
  await send(gateway, hedge, 200);
  const before = await calls(hedged);
  /** @type {Record<'plain' | 'hedged', number[]>} */
  const measured = { plain: [], hedged: [] };
  let errors = 0;
  for (let round = 0; round < rounds; round += 1) {
    const one = await send(gateway, targetOf(plain), requests);
    const other = await send(gateway, hedge, requests);
    measured.plain.push(...one.ms);
    measured.hedged.push(...other.ms);
    errors += one.errors + other.errors;
  }
  const extra = ((await calls(hedged)) - before) / measured.hedged.length - 1;
  /**
   * @param {string} name
   * @param {number[]} ms
   * @param {number} calledTwice
   */
  const row = (name, ms, calledTwice) => [
    name,
    String(ms.length),
    shown(percentile(ms, 0.5), 1),
    shown(percentile(ms, 0.95), 1),
    shown(percentile(ms, 0.99), 1),
    shown(Math.max(...ms), 0),
    shown(100 * calledTwice, 1),
  ];
  return {
    title: `A slow tail: ${share * 100} % of the calls take ${slowMs} ms instead of ${baseMs}`,
    table: markdown(
      ['', 'Requests', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'extra calls %'],
      [row('plain', measured.plain, 0), row('hedged', measured.hedged, extra)],
    ),
    bars: [
      { name: 'errors of clients', value: errors, most: 0 },
      {
        name: 'p99 hedged / plain',
        value: percentile(measured.hedged, 0.99) / percentile(measured.plain, 0.99),
        most: 0.5,
      },
      { name: 'extra calls, share', value: extra, most: extraMax },
    ],
  };
}

async function main() {
  if (process.platform !== 'linux' || !onPath('taskset'))
    throw new Error('The benchmark pins processes to cores: it needs Linux and taskset.');
  const build = builtGateway(options, note);
  const node = nodeOf(SHIPPED, note);
  const start = async (/** @type {object} */ faults) => {
    const provider = await startScript('rest', node, 'faulty-provider.cjs');
    await query(provider.child, { set: faults });
    return provider;
  };
  const controlPlane = await startScript('rest', node, 'control-plane.cjs');
  const { port: stubPort } = await start({});
  const { port, requests } = await startGateway({ build, node, stubPort, controlPlane });
  const gateway = { port, key: { 'x-gw-api-key': requests.bare['x-gw-api-key'] } };
  await send(gateway, targetOf({ port: stubPort }), 2_000);
  let held = true;
  for (const scenario of [failing, hung, tail]) {
    const { title, table, bars } = await scenario(gateway, start);
    say(`\n${title}\n\n${table}\n`);
    for (const { name, value, most } of bars) {
      const holds = value <= most;
      held &&= holds;
      say(`${holds ? 'held  ' : 'MISSED'} ${name}: ${shown(value, 2)} (at most ${most})`);
    }
  }
  say(`\nload average ${shown(os.loadavg()[0], 1)}`);
  return held ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => void stopAll().then(() => process.exit(130)));

void main()
  .catch((/** @type {Error} */ error) => {
    note(error.stack ?? error.message);
    return 1;
  })
  .then(async (code) => {
    await stopAll();
    process.exit(code);
  });
