'use strict';

/**
 * What each feature costs a request that uses it: one gateway, each request with another saved config, all in interleaved rounds. A
 * second gateway serves nothing but the baseline: what the other one's baseline costs more is the price of features
 * that are there and not used.
 */
const { contestant, startGateway } = require('./contestants.cjs');
const { PROVIDER } = require('./documents.cjs');
const { closed, prepare } = require('./measure.cjs');
const { figuresOf, markdown, median, shown } = require('./report.cjs');
const { TEN } = require('./ten-checks.cjs');

const target = { provider: `@${PROVIDER}` };
const named = (name) => ({ ...target, name });
const METADATA = { team: 'research', _user: 'u-1' };
/** The rounds of the plan are cut into so many: what disturbs one request disturbs its neighbours too. */
const SLICES = 3;
const TRIES_MAX = 5;
/** Longer than any answer takes. */
const NEVER_MS = 60_000;

const conditional = (conditions) => ({
  strategy: { mode: 'conditional', conditions, default: 'other' },
  targets: [named('one'), named('other')],
});
const rules = (last) =>
  conditional([
    { query: { 'metadata.team': 'sales' }, then: 'one' },
    { query: { 'headers.x-region': { $regex: '^eu-' } }, then: 'one' },
    { query: { model: { $in: ['gpt-5', 'o9'] } }, then: 'one' },
    { query: { $and: [{ 'url.pathname': '/v1/messages' }, { 'metadata.plan': 'paid' }] }, then: 'one' },
    { query: last, then: 'other' },
  ]);
const cached = { ...target, cache: { mode: 'simple' } };

/** By id: name, config, and what else its request has. */
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
  miss: ['cache, stored anew', cached, { headers: { 'x-gw-cache-force-refresh': 'true' } }],
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

async function startFeatures({ newControlPlane, ...common }) {
  const start = async () => startGateway({ ...common, configs, controlPlane: await newControlPlane() });
  const metadata = { 'x-gw-metadata': JSON.stringify(METADATA) };
  const [gateway, alone] = [await start(), await start()];
  const of = (own, id, name, { key = 'unlimited', headers = {} }, config) =>
    contestant(id, name, own.child, own.port, { ...own.with(key, config), ...metadata, ...headers });
  return [
    ...Object.entries(FEATURES).map(([id, [name, , more = {}]]) => of(gateway, id, name, more, id)),
    of(alone, 'alone', 'the first one, in a process that serves nothing else', {}, 'baseline'),
  ];
}

/**
 * The difference to the baseline is taken within each round, and once more between the least of all rounds: other work on the
 * machine only ever adds.
 */
function featureTable(figures, rounds) {
  const least = (id) => Math.min(...rounds.map((round) => round[id].closed.cpuUs));
  const rows = figures.map((figure) => {
    const differences = rounds.map((round) => round[figure.id].closed.cpuUs - round.baseline.closed.cpuUs);
    figure.differenceUs = median(differences);
    figure.leastUs = least(figure.id);
    figure.leastDifferenceUs = figure.leastUs - least('baseline');
    const { name, cpuUs, differenceUs, leastUs, leastDifferenceUs, perSecond } = figure;
    const shownUs = [cpuUs, differenceUs, leastUs, leastDifferenceUs].map((us) => shown(us, 1));
    return [name, ...shownUs, shown(perSecond)];
  });
  const header = ['Request with', 'CPU µs/request', 'difference', 'least µs', 'difference', 'requests/s'];
  return markdown(header, rows);
}

/** A slice in which the gateway did not get a turn says nothing, and is measured again. */
async function measuredSlice(load, one, slice) {
  for (let tries = 1; ; tries += 1) {
    const measured = await closed(load, one, slice);
    if (measured.requests > 0) return measured;
    if (tries === TRIES_MAX) throw new Error(`${one.name}: nothing was answered in ${slice.seconds} s`);
  }
}

/** Measures contestants against the one with the id `baseline`, in interleaved rounds, and prints the differences. */
async function differences(contestants, { plan, load, note, say }) {
  for (const one of contestants) {
    await prepare(one);
    await closed(load, one, { warmSeconds: 0, seconds: plan.warm });
  }
  const rounds = [];
  const roundsMax = plan.rounds * SLICES;
  const slice = { warmSeconds: plan.closedWarm / SLICES, seconds: plan.closed / SLICES };
  for (let round = 1; round <= roundsMax; round += 1) {
    const results = {};
    for (const one of contestants) {
      const measured = await measuredSlice(load, one, slice);
      results[one.id] = { closed: measured };
      note(`round ${round}/${roundsMax} ${one.id}: ${measured.cpuUs.toFixed(1)} µs`);
    }
    rounds.push(results);
  }
  const figures = contestants.map((one) => figuresOf(one, rounds));
  say(`\n${featureTable(figures, rounds)}`);
  return { figures, rounds };
}

const features = async ({ common, ...run }) => differences(await startFeatures(common), run);

module.exports = { differences, features };
