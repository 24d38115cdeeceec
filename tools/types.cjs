// `npm run typecheck`: checks the types of the whole tree with the native compiler. ESLint and Nest
// need the package `typescript`.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { ROOT, runMain, runtimeEnvironment, runtimePath } = require('./runtime.cjs');

/** Path below `node_modules`; the link in `.bin` may belong to the other package. */
const COMPILER = 'typescript-7/bin/tsc';
/**
 * Title and arguments of each type check.
 * @type {readonly (readonly [title: string, ...args: string[]])[]}
 */
const TYPE_PARTS = [
  ['Types', '-p', 'tsconfig.json', '--checkers', '1'],
  ['Types: tools', '-p', 'tools/tsconfig.json'],
  ['Types: benchmarks', '-p', 'bench/tsconfig.json'],
  ['Types: console', '-p', 'apps/console/tsconfig.json'],
];
/**
 * Bounds the heap of the native compiler and of lint rules that use it, because `npm run check`
 * must stay below 2 GB.
 */
const NATIVE_ENVIRONMENT = { GOMEMLIMIT: '1600MiB' };

module.exports = { COMPILER, TYPE_PARTS, NATIVE_ENVIRONMENT };

if (require.main === module)
  runMain(() => {
    for (const [, ...args] of TYPE_PARTS) {
      const { status } = spawnSync(runtimePath(), [join(ROOT, 'node_modules', COMPILER), ...args], {
        cwd: ROOT,
        env: runtimeEnvironment(NATIVE_ENVIRONMENT),
        stdio: 'inherit',
      });
      if (status !== 0) process.exitCode = 1;
    }
  });
