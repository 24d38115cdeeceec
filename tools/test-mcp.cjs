// `npm run test:mcp`: runs the server scenarios of the Model Context Protocol's conformance suite for two revisions, against the fixture
// of `libs/testing/src/mcp`. `--target <name>` selects the system under test: `direct` is the fixture itself. A known failure has a
// reason in `mcp-conformance/expected-failures.json`; the run fails when a listed check passes, so that the list only shrinks.
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { runMain, runtimePath, StartError } = require('./runtime.cjs');
const { TARGETS } = require('./mcp-conformance/targets.cjs');

require('./typescript.cjs');
const { CONFORMANCE_NODE_MAJOR, runConformance } = require('../libs/testing/src/mcp/conformance.ts');
const { verdictOf } = require('../libs/testing/src/mcp/conformance-verdict.ts');
const { startMcpFixture } = require('../libs/testing/src/mcp/mcp-fixture.ts');

/** @typedef {import('../libs/testing/src/mcp/conformance-targets.ts').ConformanceRun} ConformanceRun */
/** @typedef {import('../libs/testing/src/mcp/conformance-verdict.ts').Verdict} Verdict */

const EXPECTED = join(__dirname, 'mcp-conformance', 'expected-failures.json');
const OPTIONS = /** @type {const} */ ({
  target: { type: 'string', default: 'direct' },
});

/** @param {ConformanceRun} run */
const nameOf = ({ era, set }) => (era === 'both' ? set : `${set} on ${era}`);

/**
 * @param {ConformanceRun} run
 * @param {keyof typeof TARGETS} target
 * @param {string} node
 */
async function runOne(run, target, node) {
  const expected = JSON.parse(readFileSync(EXPECTED, 'utf8'))[target]?.[nameOf(run)] ?? {};
  const fixture = await startMcpFixture({ era: run.era });
  try {
    const opened = await TARGETS[target].open(fixture);
    try {
      return verdictOf(await runConformance({ url: opened.url, set: run.set, node }), expected);
    } finally {
      await opened.close();
    }
  } finally {
    await fixture.close();
  }
}

/** @param {readonly (readonly [ConformanceRun, Verdict])[]} results */
function printTable(results) {
  const rows = results.map(([run, verdict]) => ({
    set: nameOf(run),
    scenarios: verdict.scenarios,
    passed: verdict.passed,
    failed: verdict.failures.length,
    'not scored, failed': verdict.notScoredFailures,
    failures: verdict.failures.join(', '),
  }));
  console.table(rows);
  for (const [run, { problems }] of results)
    for (const problem of problems) console.log(`${nameOf(run)}: ${problem}`);
}

/** @param {string} name @returns {keyof typeof TARGETS} */
function targetOf(name) {
  const known = /** @type {(keyof typeof TARGETS)[]} */ (Object.keys(TARGETS)).find((each) => each === name);
  if (known === undefined)
    throw new StartError(`The target ${name} is unknown; use one of ${Object.keys(TARGETS).join(', ')}.`);
  return known;
}

runMain(async () => {
  const { values } = parseArgs({ options: OPTIONS });
  const target = targetOf(values.target);
  const node = runtimePath();
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  if (Number(version.slice(1).split('.')[0]) < CONFORMANCE_NODE_MAJOR) {
    console.log(`skipped: the suite needs Node.js ${String(CONFORMANCE_NODE_MAJOR)}; this is ${version}`);
    return;
  }
  /** @type {(readonly [ConformanceRun, Verdict])[]} */
  const results = [];
  for (const run of TARGETS[target].runs) results.push([run, await runOne(run, target, node)]);
  printTable(results);
  process.exitCode = results.some(([, { problems }]) => problems.length > 0) ? 1 : 0;
});
