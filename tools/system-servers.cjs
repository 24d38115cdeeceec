// Provides servers that the tests need and npm does not have. Installs them on Debian as root;
// elsewhere throws an error that names the missing one.
const { spawnSync } = require('node:child_process');
const { chromiumPath } = require('./chromium.cjs');
const { StartError } = require('./runtime.cjs');

/** Command and argument that show whether the server is installed, and its Debian package. */
const SERVERS = /** @type {const} */ ([
  ['redis-server', '--version', 'redis-server'],
  ['nginx', '-v', 'nginx'],
]);

/**
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').StdioOptions} stdio
 */
const succeeds = (command, args, stdio = 'ignore') => {
  const { error, status } = spawnSync(command, args, {
    stdio,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return !error && status === 0;
};

function ensureServers() {
  const missing = SERVERS.filter(([command, flag]) => !succeeds(command, [flag]));
  // Without a browser, the browser tests of the console are skipped.
  const browsers = chromiumPath() === null ? ['chromium'] : [];
  if (missing.length + browsers.length === 0) return;
  if (process.getuid?.() === 0 && succeeds('apt-get', ['--version'])) {
    /** @type {import('node:child_process').StdioOptions} */
    const shown = ['ignore', 'ignore', 'inherit'];
    succeeds('apt-get', ['update', '-qq'], shown);
    // Installed separately, so that a failed installation of the browser does not prevent that of
    // the servers.
    for (const packages of [missing.map(([, , name]) => name), browsers]) {
      if (packages.length === 0) continue;
      console.log(`Installing ${packages.join(', ')} (apt-get) …`);
      succeeds('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], shown);
    }
  }
  for (const [command, flag, name] of missing) {
    if (!succeeds(command, [flag])) {
      throw new StartError(`The tests need ${command} on the PATH (Debian: apt-get install ${name}).`);
    }
  }
}

module.exports = { ensureServers };
