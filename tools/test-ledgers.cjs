// Compares clients, provider, log, durable record and counters call by call, after every part was
// killed under load and Postgres was down. `npm test` does the same with a few hundred requests.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { ROOT, runMain, runtimeEnvironment, runtimePath } = require('./runtime.cjs');

const OPTIONS = /** @type {const} */ ({
  /** Number of requests while parts are killed. */
  requests: { type: 'string', default: '100000' },
  /** Number of times that each part is killed. */
  rounds: { type: 'string', default: '5' },
  /** Seconds for which Postgres is down. */
  'postgres-away': { type: 'string', default: '300' },
  /** Requests per second during that time. */
  rate: { type: 'string', default: '100' },
});

runMain(() => {
  const { values } = parseArgs({ options: OPTIONS });
  const settings = Object.entries(values).map(([name, value]) => [
    `LEDGERS_${name.replace('-', '_').toUpperCase()}`,
    value,
  ]);
  const jest = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const args = [
    '-c',
    join(ROOT, 'jest.e2e.cjs'),
    'e2e/three-ledgers',
    '-t',
    'call by call',
    '--maxWorkers',
    '1',
  ];
  const { status } = spawnSync(runtimePath(), [jest, ...args], {
    cwd: ROOT,
    env: runtimeEnvironment({
      DATABASE_URL: undefined,
      REDIS_URL: undefined,
      ...Object.fromEntries(settings),
    }),
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
});
