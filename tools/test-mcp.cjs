// `npm run test:mcp`: runs the server scenarios of the Model Context Protocol's conformance suite
// for two revisions, against the fixture of `libs/testing/src/mcp`. `--target <name>` selects the
// system under test: `direct` is the fixture itself, `gateway` a gateway in front of it, `toolset`
// a toolset of the gateway. `mcp-conformance/expected-failures.json` lists known failures with
// their reasons; the run fails if a listed check passes, so that the list only shrinks.
// `--authorization` runs the client scenarios of authorization instead: a complete Tollgate (gateway
// and admin API) is the client of the suite's servers, and its user signs in at them. With
// `--authorization`, `--scenario <text>` runs only scenarios whose name contains the text, and shows
// their output.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { parseArgs } = require('node:util');
const { runMain, runtimePath, StartError } = require('./runtime.cjs');
const { TARGETS } = require('./mcp-conformance/targets.cjs');

require('./typescript.cjs');
const { judgeRun, runName } = require('../libs/testing/src/mcp/conformance-targets.ts');

/**
 * @typedef {import('../libs/testing/src/mcp/conformance-targets.ts').ConformanceRun} ConformanceRun
 */
/** @typedef {import('../libs/testing/src/mcp/conformance-verdict.ts').Verdict} Verdict */

/** Targets that share the known failures of another target. @type {Readonly<Record<string, string>>} */
const EXPECTED_AS = { toolset: 'gateway' };
const EXPECTED = join(__dirname, 'mcp-conformance', 'expected-failures.json');
const OPTIONS = /** @type {const} */ ({
  target: { type: 'string', default: 'direct' },
  authorization: { type: 'boolean', default: false },
  scenario: { type: 'string' },
});

/** @param {readonly (readonly [ConformanceRun, Verdict])[]} results */
function printTable(results) {
  const rows = results.map(([run, verdict]) => ({
    set: runName(run),
    scenarios: verdict.scenarios,
    passed: verdict.passed,
    failed: verdict.failures.length,
    'not scored, failed': verdict.notScoredFailures,
    failures: [...new Set(verdict.failures.map((check) => check.split('/')[0]))].join(', '),
  }));
  console.table(rows);
  for (const [run, { problems }] of results)
    for (const problem of problems) console.log(`${runName(run)}: ${problem}`);
}

/** @param {string} node @param {string} [part] */
async function testAuthorization(node, part) {
  const {
    authorizationScenarios,
    clientProblems,
    expectedOf,
    runClientScenario,
    scenarioName,
  } = require('../libs/testing/src/mcp/client-conformance.ts');
  const { startAuthorizationProduct } = require('./mcp-conformance/authorization-product.cjs');
  /** @type {readonly import('../libs/testing/src/mcp/client-conformance.ts').ClientScenario[]} */
  const all = await authorizationScenarios(node);
  const scenarios = all.filter((scenario) => scenarioName(scenario).includes(part ?? ''));
  if (scenarios.length === 0)
    throw new StartError(
      `No scenario has the text ${part} in its name; use a part of one of these:\n${all.map(scenarioName).join('\n')}`,
    );
  const { product, stop } = await startAuthorizationProduct();
  const options = {
    ...{ node, command: `${node} ${join(__dirname, 'mcp-conformance', 'authorization-client.cjs')}` },
    environment: { TOLLGATE_CONFORMANCE_PRODUCT: JSON.stringify(product) },
  };
  /** @type {import('../libs/testing/src/mcp/client-conformance.ts').ClientScenarioResult[]} */
  const results = [];
  try {
    for (const scenario of scenarios) {
      const result = await runClientScenario(scenario, options);
      results.push(result);
      if (part !== undefined) console.log(result.output);
    }
  } finally {
    await stop();
  }
  console.table(
    results.map(({ scenario, passed, failures }) => ({
      ...{ scenario: scenarioName(scenario), passed, failures: failures.join(', ') },
    })),
  );
  const { authorization: known } = JSON.parse(readFileSync(EXPECTED, 'utf8'));
  // A run of all scenarios also reports expected failures of scenarios that no longer exist.
  const problems = clientProblems(results, part === undefined ? known : expectedOf(scenarios, known));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

runMain(async () => {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.scenario !== undefined && !values.authorization)
    throw new StartError('--scenario selects scenarios of authorization; add --authorization.');
  const target = TARGETS[values.target]?.();
  if (target === undefined)
    throw new StartError(
      `The target ${values.target} is unknown; use one of ${Object.keys(TARGETS).join(', ')}.`,
    );
  const node = runtimePath();
  if (values.authorization) return testAuthorization(node, values.scenario);
  const expected =
    JSON.parse(readFileSync(EXPECTED, 'utf8'))[EXPECTED_AS[values.target] ?? values.target] ?? {};
  /** @type {(readonly [ConformanceRun, Verdict])[]} */
  const results = [];
  const running = await target.start();
  try {
    for (const run of target.runs)
      results.push([run, await judgeRun(running, run, expected[runName(run)] ?? {}, node)]);
  } finally {
    await running.stop();
  }
  printTable(results);
  process.exitCode = results.some(([, { problems }]) => problems.length > 0) ? 1 : 0;
});
