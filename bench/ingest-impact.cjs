'use strict';

/**
 * Measures how the ingest of logs affects response times on one machine: a gateway at a constant rate of requests, with and without
 * worker and Postgres ingesting the records of other gateways next to it, in alternating rounds of one run. The provider responds at
 * once, so that the bar concerns only the gateway's own time; `--provider-ms 100` shows the effect with a real provider. All processes
 * share the first two cores. Those that would run on other machines must not disturb the measured ones: clients and provider get
 * a higher priority, where Linux permits it, and the other gateways a lower one. Exits with 1 when a bar is missed.
 *
 *     npm run bench:ingest-impact -- [--rate 500] [--records 5000] [--seconds 15] [--rounds 5] [--provider-ms 0]
 */
const { spawnSync } = require('node:child_process');
const os = require('node:os');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { SHIPPED, nodeOf } = require('./lib/cache.cjs');
const { SERVICE_TOKEN, contestant, startGateway } = require('./lib/contestants.cjs');
const { withLogDatabase } = require('./lib/log-fixture.cjs');
const { prepare } = require('./lib/measure.cjs');
const { cpuSince } = require('./lib/proc-stat.cjs');
const {
  query,
  listening,
  pause,
  start,
  startScript,
  stopAll,
  temporaryFolder,
} = require('./lib/processes.cjs');
const { freePort } = require('../tools/free-port.cjs');
const { markdown, median, shown } = require('./lib/report.cjs');
const { NODE_FLAGS } = require('../apps/launcher/src/node-flags.ts');
const { ensureBuilt } = require('../tools/build.cjs');

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '500' },
    records: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '5' },
    'provider-ms': { type: 'string', default: '0' },
  },
});
const [RATE, RECORDS] = [Number(options.rate), Number(options.records)];
const [SECONDS, ROUNDS] = [Number(options.seconds), Number(options.rounds)];
const PROVIDER_MS = Number(options['provider-ms']);
/** Highest p99 with ingest, relative to p99 without. */
const P99_RATIO_MAX = 1.1;
/** A sender at exactly the rate of the bar stays a little below it. */
const HEADROOM = 1.04;
/** The launcher sets the same. */
const [WORKER_NICENESS, POSTGRES_NICENESS] = [10, 5];
const SENDER_NICENESS = 10;
const SETTLE_MS = 3_000;
/** V8 has compiled the code of a request by then. */
const WARM_SECONDS = 10;
const STORED_WITHIN_MS = 30_000;

/** @param {string} line */
const note = (line) => process.stderr.write(`ingest-impact: ${line}\n`);

/**
 * Gives a process a higher priority than the gateway, whose real-time priority is 1.
 * @param {number} pid
 */
function putFirst(pid) {
  const { status, stderr } = spawnSync('chrt', ['-a', '-f', '-p', '2', String(pid)], { encoding: 'utf8' });
  if (status !== 0) note(`clients and provider get no higher priority: ${stderr ?? 'chrt is not installed'}`);
}

/**
 * @param {string} node
 * @param {import('../libs/embedded-postgres/src/index.ts').EmbeddedPostgres} server
 */
async function startWorker(node, server) {
  const port = await freePort();
  const child = start(
    'all',
    'nice',
    [
      '-n',
      String(WORKER_NICENESS),
      node,
      ...NODE_FLAGS.worker,
      join(__dirname, '../dist/worker/apps/worker/src/main.js'),
    ],
    {
      env: {
        DATABASE_URL: server.url,
        SERVICE_TOKEN,
        WORKER_PORT: String(port),
        DATA_DIR: temporaryFolder('worker'),
        LOG_LEVEL: 'warn',
      },
    },
  );
  await listening(child, port);
  return { child, port };
}

/** @param {import('../libs/embedded-postgres/src/index.ts').EmbeddedPostgres} server */
async function startAll(server) {
  os.setPriority(
    /** @type {number} */ (server.child.pid),
    Math.min(19, os.getPriority() + POSTGRES_NICENESS),
  );
  await ensureBuilt();
  const node = nodeOf(SHIPPED, note);
  const worker = await startWorker(node, server);
  const [stub, controlPlane, load, sender] = await Promise.all([
    startScript('all', node, 'stub-provider.cjs', [String(PROVIDER_MS)]),
    startScript('all', node, 'control-plane.cjs'),
    startScript('all', node, 'load.cjs'),
    startScript('all', node, 'log-sender.cjs'),
  ]);
  os.setPriority(sender.child.pid, SENDER_NICENESS);
  for (const { child } of [stub, load]) putFirst(child.pid);
  const gateway = await startGateway({
    build: join(__dirname, '../dist/gateway'),
    node,
    stubPort: stub.port,
    controlPlane,
    // The launcher sets the same policy.
    env: { WORKER_URL: `http://127.0.0.1:${worker.port}`, CPU_SCHEDULING_POLICY: 'rr' },
    cores: 'all',
  });
  const { child, port, requests } = gateway;
  const prepared = await prepare(contestant('gateway', 'gateway', child, port, requests.full));
  return { worker, load, sender, contestant: prepared };
}

/**
 * Sends requests at the constant rate. Returns their times, and the cores that worker and Postgres used.
 * @param {Awaited<ReturnType<typeof startAll>>} parts
 * @param {import('../libs/embedded-postgres/src/index.ts').EmbeddedPostgres} server
 * @param {number} warmSeconds
 */
async function requests({ load, contestant, worker }, server, warmSeconds) {
  const { port, pids, expected, isStart, whole } = contestant;
  const cpu = cpuSince([worker.child.pid, /** @type {number} */ (server.child.pid)]);
  const startedAt = performance.now();
  const job = { kind: 'open', request: whole, rate: RATE, warmSeconds, seconds: SECONDS };
  /** @type {import('./lib/measure.cjs').Rate} */
  const { p50, p99, answered } = await query(load.child, { port, pids, expected, isStart, ...job });
  contestant.sent += answered;
  return { p50, p99, cores: cpu() / 1_000 / (performance.now() - startedAt) };
}

/**
 * @param {Awaited<ReturnType<typeof startAll>>} parts
 * @param {import('../libs/embedded-postgres/src/index.ts').EmbeddedPostgres} server
 */
async function measure(parts, server) {
  /** @type {Record<'alone' | 'withIngest', { p50: number, p99: number, cores: number }[]>} */
  const rounds = { alone: [], withIngest: [] };
  let accepted = 0;
  /** @type {number[]} */
  const rates = [];
  await requests(parts, server, WARM_SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    await pause(SETTLE_MS);
    const alone = await requests(parts, server, 2);
    rounds.alone.push(alone);
    await query(parts.sender.child, {
      kind: 'start',
      port: parts.worker.port,
      token: SERVICE_TOKEN,
      rate: RECORDS * HEADROOM,
    });
    const withIngest = await requests(parts, server, 2);
    rounds.withIngest.push(withIngest);
    /** @type {{ accepted: number, perSecond: number }} */
    const sent = await query(parts.sender.child, { kind: 'stop' });
    accepted += sent.accepted;
    rates.push(sent.perSecond);
    note(
      `round ${round + 1}: p99 ${alone.p99.toFixed(2)} ms alone, ${withIngest.p99.toFixed(2)} ms with ${Math.round(sent.perSecond)} records/s`,
    );
  }
  return { rounds, accepted, rate: median(rates) ?? NaN };
}

/**
 * Waits until the log has the expected number of records, at most 30 s. Returns the number above it; negative when some are missing.
 * @param {import('typeorm').DataSource} source
 * @param {number} expected
 */
async function difference(source, expected) {
  for (let until = performance.now() + STORED_WITHIN_MS; ; await pause(500)) {
    /** @type {[{ count: number }]} */
    const [{ count }] = await source.query('SELECT count(*)::int AS count FROM request_logs');
    if (count === expected || performance.now() > until) return count - expected;
  }
}

/**
 * @param {import('typeorm').DataSource} source
 * @param {import('../libs/embedded-postgres/src/index.ts').EmbeddedPostgres} server
 */
async function main(source, server) {
  const parts = await startAll(server);
  try {
    const { rounds, accepted, rate } = await measure(parts, server);
    /**
     * @param {keyof typeof rounds} kind
     * @param {'p50' | 'p99' | 'cores'} name
     */
    const of = (kind, name) => median(rounds[kind].map((round) => round[name])) ?? NaN;
    const row = (/** @type {string} */ name, /** @type {keyof typeof rounds} */ kind) => [
      name,
      shown(of(kind, 'p50'), 2),
      shown(of(kind, 'p99'), 2),
      shown(of(kind, 'cores'), 2),
    ];
    const ratio = of('withIngest', 'p99') / of('alone', 'p99');
    const missing = await difference(source, accepted + parts.contestant.sent);
    /** @type {[text: string, held: boolean][]} */
    const bars = [
      [`p99 with ingest / alone: ${ratio.toFixed(3)}, at most ${P99_RATIO_MAX}`, ratio <= P99_RATIO_MAX],
      [`records/s: ${Math.round(rate)}, at least ${RECORDS}`, rate >= RECORDS],
      [`records stored, beyond the expected ones: ${missing}, exactly 0`, missing === 0],
    ];
    process.stdout.write(
      `${markdown(['gateway at ' + RATE + ' requests/s', 'p50 ms', 'p99 ms', 'cores of worker and Postgres'], [row('alone', 'alone'), row('with ingest', 'withIngest')])}\n\n` +
        `medians of ${ROUNDS} rounds of ${SECONDS} s, a provider that takes ${PROVIDER_MS} ms, load ${shown(os.loadavg()[0], 1)}\n` +
        bars.map(([text, held]) => `${held ? 'held  ' : 'MISSED'} ${text}\n`).join(''),
    );
    if (bars.some(([, held]) => !held)) process.exitCode = 1;
  } finally {
    await stopAll();
  }
}

withLogDatabase({ poolSize: 2 }, main).catch(async (error) => {
  console.error(error);
  process.exitCode = 1;
  await stopAll();
});
