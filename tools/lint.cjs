// `npm run lint`: ESLint over the whole tree, in parts, since one process holds the types of all its files, and circles of imports.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { ROOT, runMain, runtimeEnvironment, runtimePath } = require('./runtime.cjs');

/**
 * Name and arguments of each part. Together they are the whole tree.
 * @type {readonly (readonly [name: string, ...args: string[]])[]}
 */
const LINT_PARTS = [
  ['admin API', 'apps/admin-api'],
  ['gateway', 'apps/gateway'],
  ['other apps', 'apps', '--ignore-pattern', 'apps/admin-api', '--ignore-pattern', 'apps/gateway'],
  ['libs a to c', 'libs/[a-c]*/**/*.{ts,cjs}'],
  ['libs d to e', 'libs/[d-e]*/**/*.{ts,cjs}'],
  ['libs f to l', 'libs/[f-l]*/**/*.{ts,cjs}'],
  ['libs m', 'libs/m*/**/*.{ts,cjs}'],
  ['libs n to q', 'libs/[n-q]*/**/*.{ts,cjs}'],
  ['libs r to s', 'libs/[r-s]*/**/*.{ts,cjs}'],
  ['libs t to z', 'libs/[t-z]*/**/*.{ts,cjs}'],
  ['the rest', '.', '--ignore-pattern', 'apps', '--ignore-pattern', 'libs'],
];
/** MiB. A part that needs more is to be divided, since `npm run check` must stay below 2 GB. */
const HEAP_MIB = 1_750;
const LINT_NODE_FLAGS = [`--max-old-space-size=${String(HEAP_MIB)}`];

/**
 * ESLint reads the project graph that Nx kept last, so Nx brings it up to date first.
 * @type {readonly [script: string, ...args: string[]]}
 */
const GRAPH_ARGUMENTS = ['nx/dist/bin/nx.js', 'show', 'projects'];

/** @param {string} part */
const cacheFlags = (part) => [
  '--cache',
  '--cache-strategy',
  'content',
  '--cache-location',
  `node_modules/.cache/eslint/${part.replaceAll(' ', '-')}/`,
];

/** Relative to `node_modules`, as the other tools. */
const CIRCLES = '../tools/import-circles.cjs';

module.exports = { CIRCLES, GRAPH_ARGUMENTS, LINT_NODE_FLAGS, LINT_PARTS, cacheFlags };

/**
 * @param {readonly string[]} command
 * @param {'inherit' | 'ignore'} stdout
 */
function run([script = '', ...args], stdout = 'inherit') {
  const { status } = spawnSync(
    runtimePath(),
    [...LINT_NODE_FLAGS, join(ROOT, 'node_modules', script), ...args],
    {
      cwd: ROOT,
      env: runtimeEnvironment({}),
      stdio: ['ignore', stdout, 'inherit'],
    },
  );
  return status === 0;
}

if (require.main === module)
  runMain(() => {
    if (!run(GRAPH_ARGUMENTS, 'ignore')) throw new Error('The project graph could not be made.');
    const failed = LINT_PARTS.filter(
      ([part, ...args]) =>
        !run(['eslint/bin/eslint.js', ...args, '--max-warnings', '0', ...cacheFlags(part)]),
    );
    if (!run([CIRCLES]) || failed.length > 0) process.exitCode = 1;
  });
