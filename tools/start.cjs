// `npm start`: installs what is missing, builds what changed, and runs the launcher on the shipped
// Node.js.
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { ROOT, checkBootstrapVersion, runMain, runtimeEnvironment, runtimePath } = require('./runtime.cjs');

const LAUNCHER = join(ROOT, 'dist', 'launcher', 'apps', 'launcher', 'src', 'main.js');

const PARENT_CHECK_MS = 500;

/**
 * Stops the launcher when npm has ended. npm and its shell end on a signal without forwarding it,
 * and the launcher would keep the ports and the data folder. Without npm, the launcher may outlive
 * its shell.
 * @param {import('node:child_process').ChildProcess} launcher
 */
function stopWithNpm(launcher) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    launcher.kill('SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

runMain(async () => {
  checkBootstrapVersion();
  require('./install.cjs').ensureInstalled();
  const { COMPILE_CACHE, ensureBuilt } = require('./build.cjs');
  await ensureBuilt();

  // Through the IPC channel the launcher notices when this process has ended for any reason.
  const launcher = spawn(runtimePath(), [LAUNCHER], {
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...runtimeEnvironment() },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, () => launcher.kill(signal));
  stopWithNpm(launcher);
  launcher.on('error', (error) => {
    console.error(`tollgate: the launcher could not be started: ${error.message}`);
    process.exitCode = 1;
  });
  launcher.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGKILL' ? 137 : 1);
  });
});
