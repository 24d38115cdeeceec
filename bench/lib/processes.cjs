'use strict';

const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const { cpus, tmpdir } = require('node:os');
const { join } = require('node:path');

/** The proxy has a core to itself; load generator, stub and control plane share another. `all`: wherever there is room. */
const CORES = cpus().length > 1 ? { proxy: '1', rest: '0', all: '0,1' } : { proxy: '0', rest: '0', all: '0' };

const running = new Set();
const folders = new Set();

/** A folder that is gone when the benchmark is. */
function temporaryFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `tollgate-bench-${name}-`));
  folders.add(folder);
  return folder;
}

/** Starts a program on a core. `output` of the child holds the last 8 KB of what it printed. */
function start(core, command, args, { env, ipc = false, cwd } = {}) {
  const child = spawn('taskset', ['-c', CORES[core], command, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc'] : [])],
  });
  child.output = '';
  const keep = (text) => (child.output = (child.output + text).slice(-8_192));
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  child.gone = new Promise((resolve) => {
    child.once('error', (error) => resolve(keep(error.message)));
    child.once('exit', (code, signal) => resolve(code ?? signal));
  });
  running.add(child);
  void child.gone.then(() => running.delete(child));
  return child;
}

/** A Node script of the benchmark's own, which tells its port once it listens. */
async function startScript(core, node, script, args = []) {
  const child = start(core, node, [join(__dirname, '..', 'servers', script), ...args], { ipc: true });
  const first = await Promise.race([
    new Promise((resolve) => child.once('message', resolve)),
    child.gone.then((end) => {
      throw new Error(`${script} ended with ${end}: ${child.output}`);
    }),
  ]);
  return { child, port: first.port };
}

let nextId = 1;

/** Sends a message to a script and waits for the answer with its id. Rejects with the script's error. */
function ask(child, message) {
  const id = nextId;
  nextId += 1;
  return new Promise((resolve, reject) => {
    const end = () => reject(new Error(`A process of the benchmark ended: ${child.output}`));
    const listen = (answer) => {
      if (answer.id !== id) return;
      child.off('message', listen);
      child.off('exit', end);
      if (answer.error === undefined) resolve(answer.result);
      else reject(new Error(answer.error));
    };
    child.on('message', listen);
    child.once('exit', end);
    child.send({ ...message, id });
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until something listens; throws with the program's last words when it ended or does not come up in a minute. */
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
  throw new Error(`${child.spawnargs.slice(3).join(' ')} did not come up:\n${child.output}`);
}

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
  ask,
  freePort,
  listening,
  pause,
  start,
  startScript,
  stop,
  stopAll,
  temporaryFolder,
};
