// The integration tests need a real redis-server; on Debian as root it is installed, elsewhere its absence is named.
const { spawnSync } = require('node:child_process');
const { StartError } = require('./runtime.cjs');

const succeeds = (command, args, stdio = 'ignore') => {
  const { error, status } = spawnSync(command, args, {
    stdio,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return !error && status === 0;
};

function ensureRedis() {
  if (succeeds('redis-server', ['--version'])) return;
  if (process.getuid?.() === 0 && succeeds('apt-get', ['--version'])) {
    console.log('Installing redis-server (apt-get) …');
    succeeds('apt-get', ['update', '-qq'], ['ignore', 'ignore', 'inherit']);
    succeeds(
      'apt-get',
      ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'],
      ['ignore', 'ignore', 'inherit'],
    );
  }
  if (!succeeds('redis-server', ['--version'])) {
    throw new StartError('The tests need redis-server on the PATH (Debian: apt-get install redis-server).');
  }
}

module.exports = { ensureRedis };
