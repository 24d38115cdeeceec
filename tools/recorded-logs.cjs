/**
 * `node tools/recorded-logs.cjs <folder>`: chooses logs for the specs of the console's waterfall
 * from logs of test suites. Run suites of the gateway and the product with
 * `TOLLGATE_TEST_LOGS=<folder>` before; they write all their logs there.
 */
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { ROOT, runMain } = require('./runtime.cjs');

const FILE = join(ROOT, 'apps/console/src/ui/waterfall/spec-support/recorded-logs.jsonl');
/** Maximum number of attempts of a chosen record. */
const ATTEMPTS_MAX = 6;

/** @typedef {Record<string, any>} Json */

/**
 * Returns the features of a log as texts. A log is chosen if it has a feature that no chosen log
 * has.
 * @param {Json} log
 * @returns {string[]}
 */
function featuresOf({ streamed, firstByteMs, decision }) {
  const { attempts = [], routing = [], guardrails = [], stages = {}, cache } = decision;
  return [
    ...attempts.flatMap((/** @type {Json} */ { end, hedge, retry, waitedMs }) => [
      `${end} ${hedge ?? ''} ${retry > 0 ? 'retry' : ''} ${waitedMs > 1 ? 'waited' : ''}`,
    ]),
    ...routing.map((/** @type {Json} */ { event }) => event),
    ...guardrails.map((/** @type {Json} */ { stage, verdict, deny, async: isAsync, monitor }) =>
      [stage, verdict, deny, isAsync, monitor].join(' '),
    ),
    ...Object.keys(stages).map((name) => `stage ${name}`),
    `${attempts.length} attempts, ${streamed ? 'streamed' : 'whole'}, ${firstByteMs === null ? 'no ' : ''}body`,
    `cache ${cache?.status}`,
    ...['session', 'mcp', 'agent', 'idempotency', 'prompt'].filter(
      (member) => decision[member] !== undefined,
    ),
  ];
}

/**
 * Returns the members that the waterfall shows, without texts of callers.
 * @param {Json} log
 */
function drawn({ durationMs, firstByteMs, overheadMs, streamed, outputTokens, usage, decision }) {
  const { attempts = [], routing, guardrails = [], stages } = decision;
  return {
    ...{
      durationMs,
      firstByteMs,
      overheadMs,
      streamed,
      outputTokens: outputTokens ?? usage?.outputTokens ?? null,
    },
    decision: {
      attempts: attempts.map(withoutLosses),
      ...(routing === undefined ? {} : { routing }),
      guardrails: guardrails.map((/** @type {Json} */ guardrail) => ({ ...guardrail, feedback: null })),
      stages,
    },
  };
}

/** @param {Json} attempt */
function withoutLosses(attempt) {
  const drawn = { ...attempt };
  delete drawn['losses'];
  delete drawn['moreLosses'];
  return drawn;
}

/** @param {string} folder */
function* logsIn(folder) {
  for (const name of readdirSync(folder))
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n'))
      if (line !== '') yield JSON.parse(line);
}

function main() {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Name the folder that TOLLGATE_TEST_LOGS named for the suites.');
  const seen = new Set();
  /** @type {Json[]} */
  const chosen = [];
  for (const log of logsIn(folder)) {
    if ((log.decision.attempts ?? []).length > ATTEMPTS_MAX) continue;
    const news = featuresOf(log).filter((feature) => !seen.has(feature));
    if (news.length === 0) continue;
    for (const feature of news) seen.add(feature);
    chosen.push(drawn(log));
  }
  writeFileSync(FILE, chosen.map((log) => `${JSON.stringify(log)}\n`).join(''));
  console.log(`${chosen.length} logs in ${relative(ROOT, FILE)}`);
}

runMain(main);
