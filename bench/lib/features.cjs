'use strict';

/**
 * Measures what each feature costs a request that uses it: one gateway, a saved config for each feature, in interleaved rounds. A
 * second gateway serves only the baseline: the difference between both baselines is the cost of features that other requests use.
 */
const { contestant, startGateway } = require('./contestants.cjs');
const { PROVIDER } = require('./documents.cjs');
const { closed, prepare } = require('./measure.cjs');
const { cpuOf, figuresOf, markdown, median, shown } = require('./report.cjs');
const { TEN } = require('./ten-checks.cjs');

/** @typedef {import('./measure.cjs').Round} Round */

const target = { provider: `@${PROVIDER}` };
/** @param {string} name */
const named = (name) => ({ ...target, name });
const METADATA = { team: 'research', _user: 'u-1' };
/** Rounds for each round of the plan. They are short, so that other work on the machine affects all requests alike. */
const SLICES = 3;
const ATTEMPTS_MAX = 5;
/** Longer than any response takes. */
const NEVER_MS = 60_000;

/** @param {readonly object[]} conditions */
const conditional = (conditions) => ({
  strategy: { mode: 'conditional', conditions, default: 'other' },
  targets: [named('one'), named('other')],
});
/** @param {object} last */
const rules = (last) =>
  conditional([
    { query: { 'metadata.team': 'sales' }, then: 'one' },
    { query: { 'headers.x-region': { $regex: '^eu-' } }, then: 'one' },
    { query: { model: { $in: ['gpt-5', 'o9'] } }, then: 'one' },
    { query: { $and: [{ 'url.pathname': '/v1/messages' }, { 'metadata.plan': 'paid' }] }, then: 'one' },
    { query: last, then: 'other' },
  ]);
const cached = { ...target, cache: { mode: 'simple' } };

/**
 * By id: name, config, and the request's key and further headers.
 * @type {Record<string, [name: string, config: object, request?: { key?: string, headers?: Record<string, string> }]>}
 */
const FEATURES = {
  baseline: ['key, saved config, log with bodies', target],
  retry: ['retry settings', { ...target, retry: { attempts: 3, use_retry_after_header: true } }],
  conditional: ['conditional, five rules', rules({ 'metadata.team': { $ne: 'sales' } })],
  params: ['conditional, five rules, one on the body', rules({ 'params.temperature': { $lt: 1 } })],
  sticky: [
    'loadbalance, sticky',
    {
      strategy: { mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['metadata._user'] } },
      targets: [target, target],
    },
  ],
  miss: ['cache, miss', cached, { headers: { 'x-gw-cache-force-refresh': 'true' } }],
  hit: ['cache, hit', cached],
  hedge: [
    'hedge, armed and not fired',
    { strategy: { mode: 'hedge', hedge_delay: NEVER_MS }, targets: [target, target] },
  ],
  breaker: [
    'fallback with breakers',
    { strategy: { mode: 'fallback', cb_config: { consecutive_failures: 5 } }, targets: [target, target] },
  ],
  limits: ['rate limit, budget, two policies', target, { key: 'budgeted' }],
  checks: ['ten guardrail checks', { ...target, input_guardrails: [{ deny: true, checks: TEN }] }],
};
const configs = Object.fromEntries(Object.entries(FEATURES).map(([id, [, config]]) => [id, config]));

/** @param {import('./contestants.cjs').Common} common */
async function startFeatures({ newControlPlane, ...common }) {
  const start = async () => startGateway({ ...common, configs, controlPlane: await newControlPlane() });
  const metadata = { 'x-gw-metadata': JSON.stringify(METADATA) };
  const [gateway, alone] = [await start(), await start()];
  /**
   * @param {import('./contestants.cjs').StartedGateway} started
   * @param {string} id
   * @param {string} name
   * @param {{ key?: string, headers?: Record<string, string> }} request
   * @param {string} config
   */
  const of = (started, id, name, { key = 'unlimited', headers = {} }, config) =>
    contestant(id, name, started.child, started.port, {
      ...started.with(key, config),
      ...metadata,
      ...headers,
    });
  return [
    ...Object.entries(FEATURES).map(([id, [name, , own = {}]]) => of(gateway, id, name, own, id)),
    of(alone, 'alone', 'the baseline, in a process that serves nothing else', {}, 'baseline'),
  ];
}

/**
 * Returns figures with the differences to the baseline: the median of those within each round, and the difference between the lowest
 * figures of all rounds, since other work on the machine can only raise a figure.
 * @param {import('./measure.cjs').Contestant} one
 * @param {readonly Round[]} rounds
 */
function differenceOf(one, rounds) {
  const least = (/** @type {string} */ id) => Math.min(...rounds.map((round) => cpuOf(round, id)));
  const differenceUs = median(rounds.map((round) => cpuOf(round, one.id) - cpuOf(round, 'baseline'))) ?? NaN;
  const [leastUs, leastDifferenceUs] = [least(one.id), least(one.id) - least('baseline')];
  return { ...figuresOf(one, rounds), differenceUs, leastUs, leastDifferenceUs };
}

/** @param {readonly ReturnType<typeof differenceOf>[]} figures */
function featureTable(figures) {
  const rows = figures.map(({ name, cpuUs, differenceUs, leastUs, leastDifferenceUs, perSecond }) => {
    const shownUs = [cpuUs, differenceUs, leastUs, leastDifferenceUs].map((us) => shown(us, 1));
    return [name, ...shownUs, shown(perSecond)];
  });
  const header = ['Request with', 'CPU µs/request', 'difference', 'least µs', 'difference', 'requests/s'];
  return markdown(header, rows);
}

/**
 * Measures a slice, and repeats it if the gateway did not run within it.
 * @param {import('./processes.cjs').BenchServer} load
 * @param {import('./measure.cjs').Prepared} one
 * @param {import('./measure.cjs').Slice} slice
 */
async function measuredSlice(load, one, slice) {
  for (let attempt = 1; ; attempt += 1) {
    const measured = await closed(load, one, slice);
    if (measured.requests > 0) return measured;
    if (attempt === ATTEMPTS_MAX) throw new Error(`${one.name}: no response in ${slice.seconds} s`);
  }
}

/**
 * How a mode of `run.cjs` measures: durations and rounds, the load generator, progress and results for the user.
 * @typedef {{
 *   plan: { warm: number, rounds: number, closed: number, closedWarm: number },
 *   load: import('./processes.cjs').BenchServer,
 *   note: (line: string) => void,
 *   say: (line: string) => void,
 * }} Run
 */

/**
 * Measures contestants against the one with the id `baseline`, in interleaved rounds, and prints the differences.
 * @param {readonly import('./measure.cjs').Contestant[]} list
 * @param {Run} run
 */
async function differences(list, { plan, load, note, say }) {
  const contestants = [];
  for (const one of list) {
    const contestant = await prepare(one);
    await closed(load, contestant, { warmSeconds: 0, seconds: plan.warm });
    contestants.push(contestant);
  }
  /** @type {Round[]} */
  const rounds = [];
  const roundsMax = plan.rounds * SLICES;
  const slice = { warmSeconds: plan.closedWarm / SLICES, seconds: plan.closed / SLICES };
  for (let round = 1; round <= roundsMax; round += 1) {
    /** @type {Round} */
    const results = {};
    for (const one of contestants) {
      const measured = await measuredSlice(load, one, slice);
      results[one.id] = { closed: measured };
      note(`round ${round}/${roundsMax} ${one.id}: ${measured.cpuUs.toFixed(1)} µs`);
    }
    rounds.push(results);
  }
  const figures = contestants.map((one) => differenceOf(one, rounds));
  say(`\n${featureTable(figures)}`);
  return { figures, rounds };
}

/** @param {Run & { common: import('./contestants.cjs').Common }} options */
const features = async ({ common, ...run }) => differences(await startFeatures(common), run);

module.exports = { differences, features };
