// `npm test`: installs what is missing, runs every check and every test on the shipped Node.js, and ends on one line of totals.
const { spawn } = require('node:child_process');
const { mkdtempSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { GRAPH_ARGUMENTS, lintSteps } = require('./lint.cjs');
const { ROOT, checkBootstrapVersion, runMain, runtimeEnvironment, runtimePath } = require('./runtime.cjs');
const { COMPILER, TYPE_PARTS, NATIVE_ENVIRONMENT } = require('./types.cjs');

const STEP_TIMEOUT_MS = 60 * 60_000;
const isCi = Boolean(process.env.CI);
const PRETTIER_CACHE = ['--cache', '--cache-location', 'node_modules/.cache/prettier/.prettier-cache'];

const [graphTool, ...graphArguments] = GRAPH_ARGUMENTS;
/** Title, script below `node_modules` and arguments. @typedef {[title: string, script: string, args: readonly string[]]} Check */

/** @type {Check} */
const GRAPH = ['Project graph', graphTool, graphArguments];
/** @type {Check[]} */
const CHECKS = [
  [
    'Format',
    'prettier/bin/prettier.cjs',
    ['--check', '--log-level', 'warn', '.', ...(isCi ? [] : PRETTIER_CACHE)],
  ],
  ...lintSteps({ isCached: !isCi }),
  ...TYPE_PARTS.map(/** @returns {Check} */ ([title, ...args]) => [title, COMPILER, args]),
];
/** @type {readonly (readonly [title: string, config: string])[]} */
const SUITES = [
  ['Unit tests', 'jest.config.cjs'],
  ['Integration tests', 'jest.int.cjs'],
  ['End-to-end tests', 'jest.e2e.cjs'],
];

/**
 * Resolves to whether it passed. `output` `held`: shown when it ends, so that tools that run side by side do not mix.
 * @param {string} title
 * @param {string} script
 * @param {readonly string[]} args
 * @param {{ output?: string }} options
 * @returns {Promise<boolean>}
 */
function runTool(title, script, args, { output = 'inherit' } = {}) {
  const isHeld = output === 'held';
  if (!isHeld) console.log(`\n=== ${title}`);
  const startedAt = Date.now();
  const child = spawn(runtimePath(), [join(ROOT, 'node_modules', script), ...args], {
    cwd: ROOT,
    // Tests must not see a database or a provider account of the person who runs them.
    env: runtimeEnvironment({
      ...NATIVE_ENVIRONMENT,
      FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
      DATABASE_URL: undefined,
      REDIS_URL: undefined,
    }),
    stdio: isHeld ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    // No step takes that long, on a slow machine either; a run that hangs must end, as a failure.
    timeout: STEP_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  /** @type {Buffer[]} */
  const held = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => held.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => {
      if (isHeld) console.log(`\n=== ${title}\n${Buffer.concat(held).toString()}`);
      const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
      console.log(`--- ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
      resolve(status === 0);
    });
  });
}

/**
 * Two at a time: each of them uses one core, and much memory. Returns the titles of those that failed.
 * @param {Check[]} checks
 */
async function runChecks(checks) {
  /** @type {string[]} */
  const failed = [];
  const waiting = [...checks];
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const [title, script, args] = check;
      if (!(await runTool(title, script, args, { output: 'held' }))) failed.push(title);
    }
  };
  await Promise.all([worker(), worker()]);
  return failed;
}

/**
 * A suite that could not be loaded has no tests that failed, but has failed.
 * @param {string} report
 */
function readTotals(report) {
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    return { passed: numPassedTests, failed: numFailedTests + numRuntimeErrorTestSuites };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

runMain(async () => {
  checkBootstrapVersion();
  require('./install.cjs').ensureInstalled();
  require('./system-servers.cjs').ensureServers();

  const failedSteps = [...(await runChecks([GRAPH])), ...(await runChecks(CHECKS))];
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-reports-'));
  const totals = { passed: 0, failed: 0 };
  for (const [title, config] of SUITES) {
    const report = join(folder, `${config}.json`);
    const args = ['-c', config, '--json', '--outputFile', report, '--silent=false'];
    if (!(await runTool(title, 'jest/bin/jest.js', args))) failedSteps.push(title);
    const { passed, failed } = readTotals(report);
    totals.passed += passed;
    totals.failed += failed;
  }
  rmSync(folder, { recursive: true });

  if (failedSteps.length > 0) {
    console.log(`\nFailed: ${failedSteps.join(', ')}`);
    process.exitCode = 1;
  }
  if (require('./chromium.cjs').chromiumPath() === null)
    console.log('\nWithout a Chromium (CHROMIUM_PATH), the journeys of the console were left out.');
  console.log(`\ntests: ${String(totals.passed)} passed, ${String(totals.failed)} failed`);
});
