// `npm run lint`: runs ESLint, the rules that need types (`.oxlintrc.json`, with the native
// compiler), and the check for circular imports.
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { ROOT, runMain, runtimeEnvironment, runtimePath } = require('./runtime.cjs');
const { NATIVE_ENVIRONMENT } = require('./types.cjs');

const CACHE = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/'];

/**
 * Returns title, script below `node_modules` and arguments of each step. With `isCached`, ESLint
 * checks only changed files.
 * @param {{ isCached: boolean }} options
 * @returns {[title: string, script: string, args: readonly string[]][]}
 */
const lintSteps = ({ isCached }) => [
  ['Lint', 'eslint/bin/eslint.js', ['.', '--max-warnings', '0', ...(isCached ? CACHE : [])]],
  ['Lint: types', 'oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', '--quiet']],
  ['Lint: circles of imports', '../tools/import-circles.cjs', []],
];

/**
 * Updates the project graph of Nx, because ESLint reads the cached one.
 * @type {readonly [script: string, ...args: string[]]}
 */
const GRAPH_ARGUMENTS = ['nx/dist/bin/nx.js', 'show', 'projects'];

module.exports = { GRAPH_ARGUMENTS, lintSteps };

/**
 * @param {string} script
 * @param {readonly string[]} args
 * @param {'inherit' | 'ignore'} stdout
 */
function run(script, args, stdout = 'inherit') {
  const { status } = spawnSync(runtimePath(), [join(ROOT, 'node_modules', script), ...args], {
    cwd: ROOT,
    env: runtimeEnvironment(NATIVE_ENVIRONMENT),
    stdio: ['ignore', stdout, 'inherit'],
  });
  return status === 0;
}

if (require.main === module)
  runMain(() => {
    const [graphTool, ...graphArguments] = GRAPH_ARGUMENTS;
    if (!run(graphTool, graphArguments, 'ignore')) throw new Error('The project graph could not be made.');
    const failed = lintSteps({ isCached: true }).filter(([, script, args]) => !run(script, args));
    if (failed.length > 0) process.exitCode = 1;
  });
