'use strict';

/**
 * What the ingest of logs costs those who wait for answers, on one machine: a gateway at a constant rate of requests, with and without other gateways'
 * records being ingested by worker and Postgres next to it, in alternating rounds of one run. The provider answers at once, so that the bar is one of the
 * gateway's own part of the time; `--provider-ms 100` shows what clients of a real one see. All processes share the first two cores. What would be on other
 * machines must not wait for what is measured here: clients and provider come before all else, where Linux permits it, and those other gateways after it.
 * Exits with 1 when a bar is missed.
 *
 *     npm run bench:ingest-impact -- [--rate 500] [--records 5000] [--seconds 15] [--rounds 5] [--provider-ms 0]
 */
const { spawnSync } = require('node:child_process');
const os = require('node:os');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { SHIPPED, nodeOf } = require('./lib/cache.cjs');
const { PATH, SERVICE_TOKEN, startGateway } = require('./lib/contestants.cjs');
const { withLogDatabase } = require('./lib/log-fixture.cjs');
const { prepare } = require('./lib/measure.cjs');
const { cpuSince } = require('./lib/proc-stat.cjs');
const {
  ask,
  freePort,
  listening,
  pause,
  start,
  startScript,
  stopAll,
  temporaryFolder,
} = require('./lib/processes.cjs');
const { markdown } = require('./lib/report.cjs');
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
const [RATE, RECORDS, SECONDS, ROUNDS, PROVIDER_MS] = [
  'rate',
  'records',
  'seconds',
  'rounds',
  'provider-ms',
].map((name) => Number(options[name]));
const MOVED_MAX = 1.1;
/** A sender set to exactly the bar stays a little below it. */
const HEADROOM = 1.04;
/** As the launcher starts them. */
const [WORKER_NICENESS, POSTGRES_NICENESS] = [10, 5];
const SENDER_NICENESS = 10;
const SETTLE_MS = 3_000;
/** Until V8 has compiled what requests run through. */
const WARM_SECONDS = 10;
const STORED_WITHIN_MS = 30_000;

const note = (line) => process.stderr.write(`ingest-impact: ${line}\n`);
const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1];

/** Before the gateway, whose own real-time priority is 1. */
function putFirst(pid) {
  const { status, stderr } = spawnSync('chrt', ['-a', '-f', '-p', '2', String(pid)], { encoding: 'utf8' });
  if (status !== 0) note(`clients and provider wait like all others: ${stderr ?? 'there is no chrt'}`);
}

async function startWorker(node, server) {
  const { NODE_FLAGS } = require('../dist/launcher/apps/launcher/src/node-flags.js');
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

async function startAll(server) {
  os.setPriority(server.child.pid, Math.min(19, os.getPriority() + POSTGRES_NICENESS));
  await ensureBuilt();
  const node = nodeOf(SHIPPED, note);
  const worker = await startWorker(node, server);
  const [stub, controlPlane, load, sender] = await Promise.all(
    ['stub-provider.cjs', 'control-plane.cjs', 'load.cjs', 'log-sender.cjs'].map((script) =>
      startScript('all', node, script, script === 'stub-provider.cjs' ? [String(PROVIDER_MS)] : []),
    ),
  );
  os.setPriority(sender.child.pid, SENDER_NICENESS);
  for (const { child } of [stub, load]) putFirst(child.pid);
  const gateway = await startGateway({
    build: join(__dirname, '../dist/gateway'),
    node,
    stubPort: stub.port,
    controlPlane,
    // As the launcher starts it.
    env: { WORKER_URL: `http://127.0.0.1:${worker.port}`, CPU_SCHEDULING_POLICY: 'rr' },
    cores: 'all',
  });
  const contestant = {
    name: 'gateway',
    child: gateway.child,
    port: gateway.port,
    path: PATH,
    headers: gateway.requests.full,
  };
  await prepare(contestant);
  return { worker, load, sender, contestant };
}

/** Requests at the constant rate; how long they took, and what worker and Postgres used meanwhile. */
async function requests({ load, contestant, worker }, server, warmSeconds) {
  const { port, pids, expected, isStart, whole } = contestant;
  const cpu = cpuSince([worker.child.pid, server.child.pid]);
  const startedAt = performance.now();
  const job = { kind: 'open', request: whole, rate: RATE, warmSeconds, seconds: SECONDS };
  const { p50, p99, answered } = await ask(load.child, { port, pids, expected, isStart, ...job });
  contestant.sent += answered;
  return { p50, p99, cores: cpu() / 1_000 / (performance.now() - startedAt) };
}

async function measure(parts, server) {
  const rounds = { alone: [], withIngest: [] };
  let accepted = 0;
  const rates = [];
  await requests(parts, server, WARM_SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    await pause(SETTLE_MS);
    rounds.alone.push(await requests(parts, server, 2));
    await ask(parts.sender.child, {
      kind: 'start',
      port: parts.worker.port,
      token: SERVICE_TOKEN,
      rate: RECORDS * HEADROOM,
    });
    rounds.withIngest.push(await requests(parts, server, 2));
    const sent = await ask(parts.sender.child, { kind: 'stop' });
    accepted += sent.accepted;
    rates.push(sent.perSecond);
    note(
      `round ${round + 1}: p99 ${rounds.alone.at(-1).p99.toFixed(2)} alone, ${rounds.withIngest.at(-1).p99.toFixed(2)} ms next to ${Math.round(sent.perSecond)} records/s`,
    );
  }
  return { rounds, accepted, rate: median(rates) };
}

/** Records that are missing, or there twice, once the gateway's journal is empty. */
async function difference(source, expected) {
  for (let until = performance.now() + STORED_WITHIN_MS; ; await pause(500)) {
    const [{ count }] = await source.query('SELECT count(*)::int AS count FROM request_logs');
    if (count === expected || performance.now() > until) return count - expected;
  }
}

async function main(source, server) {
  const parts = await startAll(server);
  try {
    const { rounds, accepted, rate } = await measure(parts, server);
    const of = (kind, name) => median(rounds[kind].map((round) => round[name]));
    const row = (name, kind) => [
      name,
      of(kind, 'p50').toFixed(2),
      of(kind, 'p99').toFixed(2),
      of(kind, 'cores').toFixed(2),
    ];
    const moved = of('withIngest', 'p99') / of('alone', 'p99');
    const missing = await difference(source, accepted + parts.contestant.sent);
    const bars = [
      [`p99 with ingest / alone: ${moved.toFixed(3)}, at most ${MOVED_MAX}`, moved <= MOVED_MAX],
      [`records/s: ${Math.round(rate)}, at least ${RECORDS}`, rate >= RECORDS],
      [`records stored and not expected: ${missing}, exactly 0`, missing === 0],
    ];
    process.stdout.write(
      `${markdown(['gateway at ' + RATE + ' requests/s', 'p50 ms', 'p99 ms', 'cores of worker and Postgres'], [row('alone', 'alone'), row('with ingest', 'withIngest')])}\n\n` +
        `medians of ${ROUNDS} rounds of ${SECONDS} s, a provider that takes ${PROVIDER_MS} ms, load ${os.loadavg()[0].toFixed(1)}\n` +
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
