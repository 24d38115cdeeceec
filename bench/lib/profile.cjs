'use strict';

const { existsSync, readFileSync, rmSync } = require('node:fs');
const { join, relative } = require('node:path');
const { fileURLToPath } = require('node:url');
const { contestant, startGateway } = require('./contestants.cjs');
const { toolGateway, warmUp } = require('./mcp.cjs');
const { closed, prepare } = require('./measure.cjs');
const { pause } = require('./processes.cjs');
const { markdown, shown } = require('./report.cjs');

/**
 * A CPU profile of V8, which always has samples and their times.
 * @typedef {import('node:inspector').Profiler.Profile & { samples: number[], timeDeltas: number[] }} CpuProfile
 */

const TOP = 60;

/**
 * Returns the self time by function, and by part of the program, from a CPU profile.
 * @param {CpuProfile} profile
 * @param {number} requests
 * @param {string} build
 * @param {string} root
 */
function digest(profile, requests, build, root) {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  /** @type {Map<string, { name: string, key: string, us: number }>} */
  const functions = new Map();
  const keyOf = (
    /** @type {import('node:inspector').Runtime.CallFrame} */ { functionName, url, lineNumber },
  ) => {
    const place = url.startsWith('file:') ? fileURLToPath(url) : url;
    const file = place.startsWith(build) ? relative(build, place) : relative(root, place);
    // The time to start and stop the profiler is not the gateway's.
    if (place === 'node:inspector' || place.endsWith('profiler-preload.cjs')) return null;
    return place === '' ? functionName : `${place.startsWith('/') ? file : place}:${lineNumber + 1}`;
  };
  profile.samples.forEach((id, at) => {
    const frame = byId.get(id)?.callFrame;
    const key = frame ? keyOf(frame) : null;
    if (!frame || key === null) return;
    const known = functions.get(key) ?? { name: frame.functionName || '(anonymous)', key, us: 0 };
    known.us += (profile.timeDeltas[at] ?? 0) / requests;
    functions.set(key, known);
  });
  const all = [...functions.values()].sort((a, b) => b.us - a.us);
  /** @type {Map<string, number>} */
  const parts = new Map();
  for (const { key, us } of all) {
    const part =
      /^((?:apps|libs)\/[^/]+)/.exec(key)?.[1] ??
      /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(key)?.[1] ??
      (key.startsWith('node:') ? key.replace(/^node:(?:internal\/)?([^/:]+).*/, 'node:$1') : key);
    parts.set(part, (parts.get(part) ?? 0) + us);
  }
  return { all, parts: [...parts].sort((a, b) => b[1] - a[1]) };
}

/**
 * Starts a gateway with all features on.
 * @param {import('./contestants.cjs').Common} common
 */
async function fullGateway({ newControlPlane, ...common }) {
  const { child, port, requests } = await startGateway({ ...common, controlPlane: await newControlPlane() });
  return prepare(contestant('profiled', 'gateway', child, port, requests.full));
}

/** @param {import('./contestants.cjs').Common} common */
const toolCalls = async (common) => (await toolGateway(common)).tool;

/**
 * Runs the gateway under load with V8's profiler, and prints the time by part and function: for requests to a model with all features
 * on, or for tool calls.
 * @param {import('./contestants.cjs').Common & {
 *   root: string,
 *   load: import('./processes.cjs').BenchServer,
 *   seconds: number,
 *   file: string,
 *   isMcp: boolean,
 *   say: (line: string) => void,
 * }} options
 */
async function profile({ root, load, seconds, file, isMcp, say, ...common }) {
  rmSync(file, { force: true });
  const { build } = common;
  const gateway = await (isMcp ? toolCalls : fullGateway)({
    ...common,
    flags: [...(common.flags ?? []), '--require', join(__dirname, 'profiler-preload.cjs')],
    env: { BENCH_PROFILE: file },
  });
  await warmUp(load, gateway);
  const pid = /** @type {number} */ (gateway.child?.pid);
  process.kill(pid, 'SIGIO');
  const { answered, cpuUs } = await closed(load, gateway, { warmSeconds: 0.2, seconds });
  process.kill(pid, 'SIGIO');
  for (let waits = 0; waits < 200 && !existsSync(file); waits += 1) await pause(50);
  await pause(500);
  /** @type {CpuProfile} */
  const recorded = JSON.parse(readFileSync(file, 'utf8'));
  const { all, parts } = digest(recorded, answered, build, root);
  say(
    `profiled ${answered} requests at ${shown(cpuUs, 1)} µs of CPU each (the profiler's own cost included)\n`,
  );
  say(
    markdown(
      ['Part', 'µs/request'],
      parts.slice(0, 25).map(([part, us]) => [part, shown(us, 2)]),
    ),
  );
  say('');
  const rows = all.slice(0, TOP).map(({ name, key, us }) => [shown(us, 2), name, key]);
  say(markdown(['µs/request', 'function', 'where'], rows));
}

module.exports = { profile };
