'use strict';

/**
 * The benchmark: compares our gateway with proxies and a peer, all in one run, in interleaved rounds, so that other work on the
 * machine affects all alike. The steadiest figure is CPU time per request. `--help` lists the options.
 */
const { mkdirSync, writeFileSync } = require('node:fs');
const os = require('node:os');
const { join, resolve } = require('node:path');
const { parseArgs } = require('node:util');
const { versions } = require('./lib/against.cjs');
const { builtGateway } = require('./lib/build.cjs');
const { ROOT, SHIPPED, nginxPath, nodeOf, onPath, peerScript } = require('./lib/cache.cjs');
const { UNUSED_KEY, contestant, startContestants, startStages } = require('./lib/contestants.cjs');
const { features } = require('./lib/features.cjs');
const { identity } = require('./lib/identity.cjs');
const { atRate, closed, prepare, streams } = require('./lib/measure.cjs');
const { CORES, pause, query, startScript, stopAll } = require('./lib/processes.cjs');
const { mcp } = require('./lib/mcp.cjs');
const { translation } = require('./lib/translation.cjs');
const { profile } = require('./lib/profile.cjs');
const { barLine, bars, figuresOf, shown, stageTable, table } = require('./lib/report.cjs');

const HELP = `npm run bench -- [options]
  --quick            about a minute instead of several
  --node 24,22       Node versions of the contestants; all but the shipped one are installed into the cache (default: the shipped one)
  --only gateway,undici   only these contestants: gateway bare undici http peer nginx
  --rounds n         rounds, each measures every contestant once
  --stages           what each feature of the gateway costs, instead of the comparison
  --features         what each feature costs a request that uses it, instead of the comparison
  --identity         how much more a caller with a token costs than one with an API key, instead of the comparison
  --mcp              what a tool call costs, against a request to a model, instead of the comparison
  --translation      what translated calls cost, against native ones and the peer, instead of the comparison
  --profile          a CPU profile of the gateway, instead of the comparison; with --mcp, of tool calls
  --gateway folder   another build of the gateway (default dist/gateway)
  --against folder   this version against another build of the gateway, on the second --node if there is one, instead of the
                     comparison; with --mcp, on tool calls
  --flags='…'        further Node flags for the gateway
  --no-build         use dist/gateway as it is`;

const FULL = { warm: 3, rounds: 4, closed: 3, closedWarm: 0.5, rate: 3, rateWarm: 0.3, streams: 3 };
const QUICK = { warm: 2.5, rounds: 2, closed: 1.2, closedWarm: 0.2, rate: 1, rateWarm: 0.1, streams: 1 };
const RESULTS = join(__dirname, 'results');

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`);
/** @param {string} line */
const note = (line) => process.stderr.write(`bench: ${line}\n`);

/** @typedef {ReturnType<typeof optionsOf>} Options */
/** @typedef {typeof FULL} Plan */
/** @typedef {Omit<import('./lib/contestants.cjs').Common, 'node'>} Common */
/** @typedef {import('./lib/processes.cjs').BenchServer} BenchServer */
/** @typedef {import('./lib/measure.cjs').Prepared} Prepared */
/** @typedef {import('./lib/measure.cjs').Round} Round */

function optionsOf() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      node: { type: 'string', default: SHIPPED },
      only: { type: 'string' },
      rounds: { type: 'string' },
      stages: { type: 'boolean', default: false },
      features: { type: 'boolean', default: false },
      identity: { type: 'boolean', default: false },
      mcp: { type: 'boolean', default: false },
      translation: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      flags: { type: 'string', default: '' },
      gateway: { type: 'string' },
      against: { type: 'string' },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

/**
 * Starts the contestants that the options select, on each Node version.
 * @param {Options} options
 * @param {readonly string[]} versions
 * @param {Common} common
 */
async function contestantsOf(options, versions, common) {
  const wanted = options.only?.split(',');
  const wants = (/** @type {string} */ id) => !wanted || wanted.includes(id);
  const peer = wants('peer') ? peerScript(note) : null;
  const nginx = wants('nginx') ? nginxPath(note) : null;
  if (wants('peer') && !peer) note('@portkey-ai/gateway is left out');
  if (wants('nginx') && !nginx) note('nginx is left out: it is not installed on this machine');
  /** @type {import('./lib/measure.cjs').Contestant[]} */
  const list = [];
  for (const version of versions) {
    const node = nodeOf(version, note);
    list.push(
      ...(await startContestants({
        ...common,
        wants,
        node,
        version,
        peer,
        nginx: version === versions[0] ? nginx : null,
      })),
    );
  }
  return list;
}

/**
 * Waits until the log has every request that the contestant got. Throws after ten seconds.
 * @param {Prepared} contestant
 */
async function checkLogged(contestant) {
  const { controlPlane } = contestant;
  if (!controlPlane) return;
  for (let waits = 0; waits < 100; waits += 1) {
    /** @type {{ records: number, withBodies: number }} */
    const { records, withBodies } = await query(controlPlane.child, {});
    if (records === contestant.sent && (!contestant.logsBodies || withBodies === records)) return;
    if (waits === 99)
      throw new Error(
        `${contestant.name} logged ${records} of ${contestant.sent} requests, ${withBodies} with bodies.`,
      );
    await pause(100);
  }
}

/**
 * Measures all contestants, and prints their figures and the bars.
 * @param {Options} options
 * @param {Plan} plan
 * @param {BenchServer} load
 * @param {Common} common
 */
async function compare(options, plan, load, common) {
  const versions = options.node.split(',');
  const direct = contestant('direct', 'stub alone', null, common.stubPort, UNUSED_KEY);
  /** @type {Prepared[]} */
  const contestants = [];
  for (const one of [direct, ...(await contestantsOf(options, versions, common))])
    contestants.push(await prepare(one));
  for (const contestant of contestants) {
    note(`warming up ${contestant.id}`);
    await closed(load, contestant, { warmSeconds: 0, seconds: plan.warm });
  }
  /** @type {Round[]} */
  const rounds = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    /** @type {Round} */
    const results = {};
    for (const contestant of contestants) {
      const measured = {
        closed: await closed(load, contestant, { warmSeconds: plan.closedWarm, seconds: plan.closed }),
        rate: await atRate(load, contestant, { warmSeconds: plan.rateWarm, seconds: plan.rate }),
        streams: await streams(load, contestant, { seconds: plan.streams }),
      };
      results[contestant.id] = measured;
      const { closed: json, rate, streams: streamed } = measured;
      note(
        `round ${round}/${plan.rounds} ${contestant.id}: ${json.cpuUs.toFixed(1)} µs, ${json.perSecond.toFixed(0)}/s, ` +
          `p50 ${rate.p50.toFixed(2)} ms, first chunk ${streamed.first.p50.toFixed(2)} ms, ${streamed.cpuUs.toFixed(1)} µs/chunk`,
      );
    }
    rounds.push(results);
  }
  for (const contestant of contestants) await checkLogged(contestant);
  const figures = contestants.slice(1).map((contestant) => figuresOf(contestant, rounds));
  const held = bars(figures, versions);
  say(`\n${table(figures)}\n`);
  for (const bar of held) say(barLine(bar));
  return { figures, bars: held, rounds };
}

/**
 * Measures the gateway with one feature less each, and prints the differences.
 * @param {Options} options
 * @param {Plan} plan
 * @param {BenchServer} load
 * @param {Common} common
 */
async function stages(options, plan, load, common) {
  /** @type {Prepared[]} */
  const contestants = [];
  for (const one of await startStages({ ...common, node: nodeOf(firstOf(options), note) })) {
    const contestant = await prepare(one);
    await closed(load, contestant, { warmSeconds: 0, seconds: plan.warm });
    contestants.push(contestant);
  }
  /** @type {Round[]} */
  const rounds = [];
  for (let round = 1; round <= plan.rounds; round += 1) {
    /** @type {Round} */
    const results = {};
    for (const contestant of contestants) {
      const slice = { warmSeconds: plan.closedWarm, seconds: plan.closed };
      const measured = await closed(load, contestant, slice);
      results[contestant.id] = { closed: measured };
      note(`round ${round} ${contestant.id}: ${measured.cpuUs.toFixed(1)} µs`);
    }
    rounds.push(results);
  }
  const figures = contestants.map((contestant) => figuresOf(contestant, rounds));
  say(`\n${stageTable(figures)}`);
  return { figures, rounds };
}

function machine() {
  const versions = { bench: process.version, kernel: os.release() };
  return {
    cpu: os.cpus()[0]?.model,
    cores: os.cpus().length,
    memoryMb: Math.round(os.totalmem() / 1_048_576),
    versions,
  };
}

const MODES = /** @type {const} */ (['against', 'features', 'identity', 'mcp', 'translation', 'stages']);
/** The first Node version of the options. */
const firstOf = (/** @type {Options} */ options) => options.node.split(',', 1).join();

async function main() {
  const options = optionsOf();
  if (options.help) return say(HELP);
  if (process.platform !== 'linux' || !onPath('taskset'))
    throw new Error('The benchmark reads /proc and pins processes to cores: it needs Linux and taskset.');
  const plan = { ...(options.quick ? QUICK : FULL) };
  if (options.rounds) plan.rounds = Number(options.rounds);
  const build = builtGateway(options, note);
  const own = nodeOf(SHIPPED, note);
  if (CORES.proxy === CORES.rest) note('one core only: figures include the load generator');
  const stub = await startScript('rest', own, 'stub-provider.cjs');
  const load = await startScript('rest', own, 'load.cjs');
  const newControlPlane = () => startScript('rest', own, 'control-plane.cjs');
  const flags = options.flags.split(' ').filter(Boolean);
  const common = { stubPort: stub.port, build, flags, newControlPlane };
  if (options.profile) {
    const node = nodeOf(firstOf(options), note);
    mkdirSync(RESULTS, { recursive: true });
    const file = join(RESULTS, 'gateway.cpuprofile');
    return profile({ ...common, root: ROOT, node, load, seconds: 6, file, isMcp: options.mcp, say });
  }
  const startedAt = new Date();
  const mode = MODES.find((each) => options[each]) ?? 'latest';
  const node = nodeOf(firstOf(options), note);
  const other = resolve(options.against ?? '');
  const against = { build: other, node: nodeOf(options.node.split(',')[1] ?? firstOf(options), note) };
  const measured = await {
    translation: () =>
      translation({ plan, load, common: { ...common, node }, peer: peerScript(note), note, say }),
    features: () => features({ plan, load, common: { ...common, node }, note, say }),
    mcp: () => mcp({ plan, load, common: { ...common, node }, note, say }),
    identity: () => identity({ plan, load, common: { ...common, node }, note, say }),
    against: () => versions({ options, load, common: { ...common, node, against }, note, say }),
    stages: () => stages(options, plan, load, common),
    latest: () => compare(options, plan, load, common),
  }[mode]();
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1_000);
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, `${mode}.json`);
  const result = {
    startedAt: startedAt.toISOString(),
    seconds,
    options,
    plan,
    machine: machine(),
    ...measured,
  };
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  say(`\n${seconds} s; load average ${shown(os.loadavg()[0], 1)}; all figures in ${file}`);
  return undefined;
}

let stopping = false;
async function end(/** @type {number} */ code) {
  if (stopping) return;
  stopping = true;
  await stopAll();
  process.exit(code);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void end(130));

main().then(
  () => end(0),
  (/** @type {Error} */ error) => {
    if (!stopping) process.stderr.write(`bench: ${error.message}\n`);
    return end(1);
  },
);
