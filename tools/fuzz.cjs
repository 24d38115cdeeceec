// `npm run fuzz`: runs the fuzz specs with many more cases and a new seed each time. `FC_RUNS` and
// `FC_SEED` repeat a run.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { ROOT, runtimeEnvironment, runtimePath } = require('./runtime.cjs');

const { FC_RUNS = '20000', FC_SEED = String(Date.now() % 2 ** 31) } = process.env;
console.log(`FC_RUNS=${FC_RUNS} FC_SEED=${FC_SEED}`);
const { status } = spawnSync(
  runtimePath(),
  [
    join(ROOT, 'node_modules/jest/bin/jest.js'),
    'fuzz\\.spec',
    '--testTimeout',
    '7200000',
    ...process.argv.slice(2),
  ],
  { cwd: ROOT, stdio: 'inherit', env: runtimeEnvironment({ FC_RUNS, FC_SEED }) },
);
process.exitCode = status ?? 1;
