'use strict';

/**
 * Compares this version with the build of another one: short slices in turn, so that other work on the machine affects both. A ratio
 * is taken within each round; the distance of the quartiles from the median shows how exact the machine lets it be.
 */
const { contestant, startGateway } = require('./contestants.cjs');
const { toolGateway, warmUp } = require('./mcp.cjs');
const { closed, prepare } = require('./measure.cjs');
const { markdown, shown } = require('./report.cjs');

const ROUNDS = 60;
const SLICE = { warmSeconds: 0.1, seconds: 0.4 };
/** @typedef {import('./contestants.cjs').Common} Common */

const REQUESTS = { full: 'everything on', bare: 'bare: provider and host in headers' };
const TOOLS = { tool: 'tool call', model: 'request to a model' };

/** @param {Common} common */
async function modelRequests({ newControlPlane, ...common }) {
  const { child, port, requests } = await startGateway({ ...common, controlPlane: await newControlPlane() });
  const list = [];
  for (const id of /** @type {const} */ (['full', 'bare']))
    list.push(await prepare(contestant(id, REQUESTS[id], child, port, requests[id])));
  return list;
}

/** @param {Common} common */
async function toolRequests(common) {
  const { tool, model } = await toolGateway(common);
  return [tool, model];
}

/** @param {Common & { against: { build: string, node: string }, isMcp?: boolean }} options */
async function startBoth({ build, node, against, isMcp, ...common }) {
  const list = [];
  for (const [version, how] of Object.entries({ this: { build, node }, other: against }))
    for (const one of await (isMcp ? toolRequests : modelRequests)({ ...common, ...how }))
      list.push({ ...one, id: `${version}-${one.id}` });
  return list;
}

/**
 * @param {readonly number[]} values
 * @returns {[low: number, median: number, high: number]}
 */
function quartiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const quartile = (/** @type {number} */ number) => sorted[Math.floor((sorted.length * number) / 4)] ?? NaN;
  return [quartile(1), quartile(2), quartile(3)];
}

/**
 * @param {Omit<import('./features.cjs').Run, 'plan'> & {
 *   common: Parameters<typeof startBoth>[0],
 *   options: { mcp: boolean, rounds?: string | undefined },
 * }} options
 */
async function versions({ options, load, common, note, say }) {
  const contestants = await startBoth({ ...common, isMcp: options.mcp });
  for (const one of contestants) await warmUp(load, one);
  /** CPU µs by contestant. @type {Record<string, number>[]} */
  const rounds = [];
  const count = options.rounds ? Number(options.rounds) : ROUNDS;
  for (let round = 1; round <= count; round += 1) {
    /** @type {Record<string, number>} */
    const results = {};
    const inTurn = round % 2 === 0 ? contestants : [...contestants].reverse();
    for (const one of inTurn) results[one.id] = (await closed(load, one, SLICE)).cpuUs;
    if (round % 10 === 0) note(`round ${round}/${count}`);
    rounds.push(results);
  }
  /**
   * Quartiles of a figure of each round.
   * @param {string} id
   * @param {string} [per] Divides by the figure of this contestant.
   */
  const quartilesOf = (id, per) =>
    quartiles(rounds.map((round) => (round[id] ?? NaN) / (per === undefined ? 1 : (round[per] ?? NaN))));
  const figures = Object.entries(options.mcp ? TOOLS : REQUESTS).map(([id, name]) => {
    const [us, otherUs] = [quartilesOf(`this-${id}`), quartilesOf(`other-${id}`)];
    return { id, name, us, otherUs, ratio: quartilesOf(`this-${id}`, `other-${id}`) };
  });
  /**
   * @param {ReturnType<typeof quartiles>} values
   * @param {number} digits
   */
  const spread = ([low, median, high], digits) =>
    `${shown(median, digits)} (${shown(low, digits)} to ${shown(high, digits)})`;
  const rows = figures.map(({ name, us, otherUs, ratio }) => [
    name,
    spread(us, 1),
    spread(otherUs, 1),
    spread(ratio, 2),
  ]);
  say(`\n${markdown(['Request', 'CPU µs, this version', 'CPU µs, the other', 'ratio'], rows)}`);
  if (options.mcp)
    for (const [version, name] of Object.entries({ this: 'this version', other: 'the other' })) {
      const ratio = quartilesOf(`${version}-tool`, `${version}-model`);
      say(`a tool call, times a request to a model, ${name}: ${spread(ratio, 2)}`);
    }
  return { figures, rounds };
}

module.exports = { versions };
