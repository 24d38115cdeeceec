'use strict';

const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { connect } = require('node:net');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');

/**
 * A running program. `output`: the last 8 KB that it printed. `gone`: resolves to its exit code or signal.
 * @typedef {import('node:child_process').ChildProcess & { pid: number, output: string, gone: Promise<unknown> }} BenchProcess
 */
/** @typedef {{ child: BenchProcess, port: number }} BenchServer */

/** CPU cores by part. The proxy has one to itself; load generator, stub and control plane share the other. */
const CORES = cpus().length > 1 ? { proxy: '1', rest: '0', all: '0,1' } : { proxy: '0', rest: '0', all: '0' };

/** @type {Set<BenchProcess>} */
const running = new Set();
/** @type {Set<string>} */
const folders = new Set();

/**
 * A folder that is removed when the benchmark ends.
 * @param {string} name
 */
function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `tollgate-bench-${name}-`));
  folders.add(folder);
  return folder;
}

/**
 * Starts a program on the cores of a part.
 * @param {keyof typeof CORES} core
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, ipc?: boolean, cwd?: string }} options
 * @returns {BenchProcess}
 */
function start(core, command, args, { env, ipc = false, cwd } = {}) {
  /** @type {import('node:child_process').StdioOptions} */
  const stdio = ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'];
  const started = spawn('taskset', ['-c', CORES[core], command, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio,
  });
  const keep = (/** @type {string} */ text) => (child.output = (child.output + text).slice(-8_192));
  const gone = new Promise((resolve) => {
    started.once('error', (error) => resolve(keep(error.message)));
    started.once('exit', (code, signal) => resolve(code ?? signal));
  });
  if (started.pid === undefined)
    throw new Error('A process of the benchmark cannot be started: is taskset installed?');
  const child = Object.assign(started, { pid: started.pid, output: '', gone });
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  running.add(child);
  void child.gone.then(() => running.delete(child));
  return child;
}

/**
 * Starts a script of `servers/`, which sends its port once it listens.
 * @param {keyof typeof CORES} core
 * @param {string} node
 * @param {string} script
 * @param {readonly string[]} args
 * @returns {Promise<BenchServer>}
 */
async function startScript(core, node, script, args = []) {
  const child = start(core, node, [join(__dirname, '..', 'servers', script), ...args], { ipc: true });
  /** @type {{ port: number }} */
  const first = await Promise.race([
    new Promise((resolve) => child.once('message', resolve)),
    child.gone.then((end) => {
      throw new Error(`${script} ended with ${String(end)}: ${child.output}`);
    }),
  ]);
  return { child, port: first.port };
}

let nextId = 1;

/**
 * Sends a message to a script and waits for the response with its id. Rejects with the script's error.
 * @template T
 * @param {BenchProcess} child
 * @param {object} message
 * @returns {Promise<T>}
 */
function query(child, message) {
  const id = nextId;
  nextId += 1;
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error(`A process of the benchmark ended: ${child.output}`));
    const listen = (/** @type {{ id: number, error?: string, result: T }} */ response) => {
      if (response.id !== id) return;
      child.off('message', listen);
      child.off('exit', end);
      if (response.error === undefined) resolve(response.result);
      else reject(new Error(response.error));
    };
    child.on('message', listen);
    child.once('exit', end);
    child.send({ ...message, id });
  });
}

/**
 * @param {number} ms
 * @returns {Promise<void>}
 */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Waits until a program listens on a port. Throws with its last output when it ended or does not listen within a minute.
 * @param {BenchProcess} child
 * @param {number} port
 */
async function listening(child, port) {
  const until = Date.now() + 60_000;
  while (Date.now() < until && running.has(child)) {
    const open = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await pause(50);
  }
  throw new Error(`${child.spawnargs.slice(3).join(' ')} does not listen:\n${child.output}`);
}

/** @param {BenchProcess} child */
async function stop(child) {
  if (!running.has(child)) return;
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await child.gone;
  clearTimeout(late);
}

async function stopAll() {
  await Promise.all([...running].map(stop));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

module.exports = {
  CORES,
  listening,
  pause,
  query,
  start,
  startScript,
  stop,
  stopAll,
  temporaryFolder,
};
