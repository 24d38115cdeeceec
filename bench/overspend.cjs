'use strict';

/**
 * Measures by how much limits are exceeded when many gateways are called at once: bursts on a budget, and steady rates below and above
 * a rate limit. It runs real gateway processes with a real Redis. `--quick`: half a minute instead of a few minutes.
 */
const { randomBytes } = require('node:crypto');
const { once } = require('node:events');
const { Agent, createServer, request } = require('node:http');
const { parseArgs } = require('node:util');
const { portOf } = require('./lib/child-script.cjs');
const { builtGateway } = require('./lib/build.cjs');
const { SHIPPED, nodeOf, onPath } = require('./lib/cache.cjs');
const { PATH, startGateway } = require('./lib/contestants.cjs');
const { PROVIDER } = require('./lib/documents.cjs');
const { listening, pause, start, startScript, stopAll, temporaryFolder } = require('./lib/processes.cjs');
const { freePort } = require('../tools/free-port.cjs');

/** @typedef {import('./lib/contestants.cjs').StartedGateway} StartedGateway */
/** @typedef {Awaited<ReturnType<typeof startStub>>} Stub */

const BURST = { gateways: 4, atOnce: 250, covered: 300, callMs: 300 };
const RATE = { gateways: 3, perSecond: 100, factors: [0.9, 1, 1.2, 1.5, 2] };
const TOKENS = 1_000;
const CENT_USD = 0.01;

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`);
/** @param {string} line */
const note = (line) => process.stderr.write(`bench: ${line}\n`);

/** Starts a provider that sells a thousand tokens of output for a cent, after `callMs`, and counts its calls. */
async function startStub() {
  const usage = { prompt_tokens: 0, completion_tokens: TOKENS, total_tokens: TOKENS };
  const body = JSON.stringify({ id: 'a', object: 'chat.completion', model: 'gpt-4o', choices: [], usage });
  const stub = { calls: 0, callMs: 0, port: 0, close: () => {} };
  const server = createServer((req, res) => {
    req.resume();
    stub.calls += 1;
    setTimeout(() => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      res.end(body);
    }, stub.callMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stub.port = portOf(server);
  stub.close = () => void server.close();
  return stub;
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });

/**
 * Resolves to the status of a call; 0 when the connection failed.
 * @param {StartedGateway} gateway
 * @param {string} key
 * @param {number} maxTokens
 * @returns {Promise<number>}
 */
function call(gateway, key, maxTokens) {
  const body = JSON.stringify({
    model: 'gpt-4o',
    max_tokens: maxTokens,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const headers = {
    authorization: `Bearer ${gateway.keys[key]}`,
    'x-gw-provider': `@${PROVIDER}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve) => {
    const req = request(
      { agent, port: gateway.port, host: '127.0.0.1', path: PATH, method: 'POST', headers },
      (res) => {
        res.resume();
        res.on('end', () => resolve(res.statusCode ?? 0));
        res.on('error', () => resolve(0));
      },
    );
    req.on('error', () => resolve(0));
    req.end(body);
  });
}

/** @param {readonly number[]} statuses */
const okOf = (statuses) => statuses.filter((status) => status === 200).length;

/**
 * Calls all gateways at once. Returns the number of successful calls.
 * @param {readonly StartedGateway[]} gateways
 * @param {string} key
 * @param {number} atOnce
 * @param {number} maxTokens
 */
async function burst(gateways, key, atOnce, maxTokens) {
  const calls = gateways.flatMap((gateway) =>
    Array.from({ length: atOnce }, () => call(gateway, key, maxTokens)),
  );
  return okOf(await Promise.all(calls));
}

/**
 * Sends one burst, then small ones until three in a row fail, each after the gateways have returned unused reservations.
 * @param {readonly StartedGateway[]} gateways
 * @param {Stub} stub
 * @param {{ key: string, maxTokens: number }} options
 */
async function overspend(gateways, stub, { key, maxTokens }) {
  const before = stub.calls;
  const first = await burst(gateways, key, BURST.atOnce, maxTokens);
  let accepted = first;
  for (let idle = 0; idle < 3;) {
    await pause(700);
    const more = await burst(gateways.slice(0, 1), key, 5, maxTokens);
    accepted += more;
    idle = more === 0 ? idle + 1 : 0;
  }
  return { first, accepted, sold: stub.calls - before };
}

/**
 * Calls at a constant rate. It starts and ends with a second of the wall clock, which is a window of the limit.
 * @param {readonly StartedGateway[]} gateways
 * @param {string} key
 * @param {number} factor
 * @param {number} seconds
 */
async function steady(gateways, key, factor, seconds) {
  for (const gateway of gateways) await call(gateway, key, TOKENS);
  await pause(1_005 - (Date.now() % 1_000));
  const until = (Math.floor(Date.now() / 1_000) + seconds) * 1_000 - 40;
  const started = performance.now();
  /** @type {Promise<number>[]} */
  const waiting = [];
  let offered = 0;
  while (Date.now() < until) {
    const due = Math.floor(((performance.now() - started) * RATE.perSecond * factor) / 1_000);
    for (; offered < due; offered += 1)
      waiting.push(call(/** @type {StartedGateway} */ (gateways[offered % gateways.length]), key, TOKENS));
    await pause(2);
  }
  return { offered, accepted: okOf(await Promise.all(waiting)) };
}

/** @param {string} enforcement */
const budget = (enforcement) => ({
  type: 'cost',
  creditLimit: BURST.covered * CENT_USD,
  enforcement,
  alertThreshold: null,
  periodicReset: null,
  periodicResetDays: null,
  nextResetAt: null,
  status: 'active',
});
/** Keys with a budget for the bursts, and a key with a rate limit for each factor. */
const LIMITED = [
  ...['strict', 'standard'].flatMap((enforcement) =>
    ['exact', 'twice'].map((size) => ({
      name: `${enforcement}${size}`,
      usageLimits: [budget(enforcement)],
    })),
  ),
  ...RATE.factors.map((factor) => ({
    name: `rate${String(factor * 10)}`,
    rateLimits: [{ type: 'requests', unit: 'rps', value: RATE.perSecond }],
  })),
];

/** Starts a Redis and returns its URL. */
async function startRedis() {
  const redisServer = onPath('redis-server');
  if (!redisServer) throw new Error('redis-server is not installed on this machine.');
  const port = await freePort();
  const arguments_ = ['--port', String(port), '--save', '', '--dir', temporaryFolder('redis')];
  await listening(start('rest', redisServer, arguments_), port);
  return `redis://127.0.0.1:${String(port)}`;
}

/**
 * Prints by how much simultaneous calls to all gateways exceed a budget.
 * @param {readonly StartedGateway[]} gateways
 * @param {Stub} stub
 */
async function measureBursts(gateways, stub) {
  stub.callMs = BURST.callMs;
  say(
    `A budget for ${BURST.covered} calls, ${BURST.gateways} gateways, ${BURST.atOnce} calls at once on each`,
  );
  for (const [enforcement, size] of [
    ['strict', 'exact'],
    ['strict', 'twice'],
    ['standard', 'exact'],
    ['standard', 'twice'],
  ]) {
    const maxTokens = size === 'twice' ? 2 * TOKENS : TOKENS;
    const { first, accepted, sold } = await overspend(gateways, stub, {
      key: `${enforcement}${size}`,
      maxTokens,
    });
    say(
      `  ${enforcement}, reserving ${size === 'twice' ? 'twice what is used' : 'what is used'}: ${first} of ${
        BURST.gateways * BURST.atOnce
      } accepted at once, ${accepted} in all, ${sold} sold, ${Math.max(0, accepted - BURST.covered)} too many`,
    );
  }
}

/**
 * Prints how exactly gateways that share a rate limit keep it.
 * @param {readonly StartedGateway[]} gateways
 * @param {Stub} stub
 * @param {number} seconds
 */
async function measureRates(gateways, stub, seconds) {
  stub.callMs = 0;
  const allowance = RATE.perSecond * seconds;
  say(`${RATE.perSecond} requests a second, ${RATE.gateways} gateways, ${seconds} s each`);
  for (const factor of RATE.factors) {
    const { offered, accepted } = await steady(gateways, `rate${String(factor * 10)}`, factor, seconds);
    const share = (100 * accepted) / Math.min(allowance, offered);
    say(
      `  ${factor.toFixed(1)} times the rate: ${offered} offered, ${accepted} accepted, ${share.toFixed(1)} % of what was allowed and offered, ` +
        `${Math.max(0, accepted - allowance)} too many`,
    );
  }
}

async function main() {
  const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
  const build = builtGateway({}, note);
  const node = nodeOf(SHIPPED, note);
  const stub = await startStub();
  const env = { REDIS_URL: await startRedis() };
  const master = randomBytes(32);
  /** @type {StartedGateway[]} */
  const gateways = [];
  const controlPlane = await startScript('rest', node, 'control-plane.cjs');
  while (gateways.length < BURST.gateways)
    gateways.push(
      await startGateway({ build, node, stubPort: stub.port, env, controlPlane, master, limited: LIMITED }),
    );

  await measureBursts(gateways, stub);
  await measureRates(gateways.slice(0, RATE.gateways), stub, values.quick ? 5 : 30);
  stub.close();
  agent.destroy();
}

void main()
  .catch((/** @type {Error} */ error) => {
    note(error.stack ?? error.message);
    process.exitCode = 1;
  })
  .finally(() => void stopAll());
