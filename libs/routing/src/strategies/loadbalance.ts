import { checkHashFields, HASH_FIELDS, type Subject } from '@gw/config-schema';
import type { CompiledEdge, CompiledNode, CompiledStrategy, CompiledTarget } from '../compile/compiled';
import { isObject } from '@gw/kernel';
import { commonFault, faultOf, severityOf, type Fault } from '../faults';
import { fieldsOf, hashFieldsOf, unitHash } from '../identity';
import { defineStrategy, type Frame, type Strategy } from '../strategy';
import type { RequestFacts, ChoiceContext } from '../types';

const ALGORITHMS = ['weighted', 'least_latency', 'least_cost', 'least_busy', 'highest_speed'] as const;
type BalanceAlgorithm = (typeof ALGORITHMS)[number];

interface LoadbalanceSettings {
  readonly algorithm?: BalanceAlgorithm;
  readonly sticky?: {
    readonly enabled: boolean;
    /** Fields that, with the API key, identify a caller; equal callers get the same target. */
    readonly hash_fields?: readonly string[];
    /** Seconds after which a caller's target is chosen again. */
    readonly ttl?: number;
  };
}

interface CompiledLoadbalance extends CompiledStrategy {
  /** One per edge. Targets of weight 0 are kept but never picked. */
  readonly weights: readonly number[];
  /** Running sums of the weights; the last one is above 0. */
  readonly cumulativeWeights: readonly number[];
  readonly algorithm: BalanceAlgorithm;
  readonly sticky: { readonly fields: readonly Subject[]; readonly ttlMs: number } | null;
}

const STICKY_TTL_SECONDS = 300;

const STICKY = {
  type: 'object',
  required: ['enabled'],
  properties: {
    enabled: { type: 'boolean' },
    hash_fields: HASH_FIELDS,
    ttl: { type: 'integer', minimum: 1, maximum: 2_592_000, description: 'seconds' },
  },
  additionalProperties: false,
};

const settingsOf = (settings: object): LoadbalanceSettings => settings;

/**
 * Spreads requests over its targets by weight or by measurements, or keeps a caller on one target.
 */
export const loadbalance: Strategy = defineStrategy<CompiledLoadbalance>({
  mode: 'loadbalance',
  members: { algorithm: { enum: ALGORITHMS }, sticky: STICKY },
  check({ sticky, algorithm }, targets, path, report) {
    const weights = targets.map((target) => (isObject(target) ? (target['weight'] ?? 1) : 1));
    if (weights.length > 0 && weights.every((weight) => weight === 0))
      report([...path, 'targets'], 'weights', 'needs at least one weight above 0', targets);
    if (!isObject(sticky)) return;
    const here = [...path, 'strategy', 'sticky'];
    checkHashFields(sticky['hash_fields'], [...here, 'hash_fields'], report);
    if (sticky['enabled'] === true && algorithm !== undefined && algorithm !== 'weighted')
      report(here, 'conflict', 'cannot be combined with an algorithm other than weighted', sticky);
  },
  subjects(settings) {
    const { sticky } = settingsOf(settings);
    return sticky?.enabled ? hashFieldsOf(sticky.hash_fields) : [];
  },
  measures: (settings) => (settingsOf(settings).algorithm ?? 'weighted') !== 'weighted',
  compile({ config: { strategy: settings, targets }, path, edges }) {
    const { sticky, algorithm = 'weighted' } = settingsOf(settings);
    const weights = Object.freeze(targets.map(({ weight }) => weight ?? 1));
    let sum = 0;
    return Object.freeze({
      kind: 'strategy',
      strategy: loadbalance,
      path,
      edges: edges(),
      weights,
      cumulativeWeights: Object.freeze(weights.map((weight) => (sum += weight))),
      algorithm,
      sticky: sticky?.enabled
        ? Object.freeze({
            fields: hashFieldsOf(sticky.hash_fields),
            ttlMs: (sticky.ttl ?? STICKY_TTL_SECONDS) * 1_000,
          })
        : null,
    });
  },
  choose(node, cursor) {
    const index = pickBalanced(node, cursor);
    cursor.frame = new BalanceFrame(node, cursor.frame, index);
    return node.edges[index] ?? null;
  },
  fault: ({ edges, weights }, situation) =>
    commonFault(
      edges.filter((_, index) => (weights[index] ?? 0) > 0),
      (child) => faultOf(child, situation, true),
    ),
});

/** A choice that another target can replace when the chosen one is rate limited. */
class BalanceFrame implements Frame {
  readonly isSpent = true;
  /** Indexes of the picked edges. */
  private readonly picked: number[];

  constructor(
    private readonly node: CompiledLoadbalance,
    readonly outer: Frame | null,
    index: number,
  ) {
    this.picked = [index];
  }

  movesOn(): boolean {
    return false;
  }

  next(): null {
    return null;
  }

  sibling(situation: ChoiceContext): CompiledEdge | null {
    const index = pickSibling(this.node, this.picked, situation);
    if (index === null) return null;
    this.picked.push(index);
    return this.node.edges[index] ?? null;
  }
}

/**
 * Fraction of the choices made by weight instead of measurement, so that every target is measured.
 */
const EXPLORED = 0.05;

/**
 * Returns the index of the edge that a request takes. Unavailable targets are left out while any
 * other is left, and those with an open breaker while one is left that may work.
 */
function pickBalanced(node: CompiledLoadbalance, situation: ChoiceContext): number {
  const { compiled, runtime } = situation;
  const isPlain = node.sticky === null && node.algorithm === 'weighted';
  if (isPlain && !compiled.hasBreakers && !runtime.state.health.hasMarks) {
    return pickByWeight(node, runtime.random());
  }
  const all = positions(node);
  const severities = all.map((index) => severityOf(notedFault(node, index, situation)));
  const least = Math.min(...severities);
  const left = all.filter((_, at) => severities[at] === least);
  return pickAmong(node, left, situation);
}

/** Returns another available edge than those picked, or null when none is left. */
function pickSibling(
  node: CompiledLoadbalance,
  picked: readonly number[],
  situation: ChoiceContext,
): number | null {
  const left = positions(node).filter(
    (index) => !picked.includes(index) && notedFault(node, index, situation) === null,
  );
  return left.length > 0 ? pickAmong(node, left, situation) : null;
}

/** Returns the indexes of edges that may be picked at all. */
const positions = ({ weights }: CompiledLoadbalance): readonly number[] =>
  weights.flatMap((weight, index) => (weight > 0 ? [index] : []));

function notedFault({ edges }: CompiledLoadbalance, index: number, situation: ChoiceContext): Fault | null {
  const { node } = edges[index] as CompiledEdge;
  const fault = faultOf(node, situation, true);
  if (fault !== null) situation.note(node.path, fault);
  return fault;
}

/** A target of weight 0 has an empty share and is never picked, whatever `random` is. */
function pickByWeight({ cumulativeWeights }: CompiledLoadbalance, random: number): number {
  const total = cumulativeWeights[cumulativeWeights.length - 1] ?? 0;
  const point = random * total;
  const index = cumulativeWeights.findIndex((sum) => point < sum);
  // Rounding may move the point to the very end, which belongs to the last share that is not empty.
  return index >= 0 ? index : cumulativeWeights.indexOf(total);
}

/** Picks one of `candidates`: at least one index of an edge whose weight is above 0. */
function pickAmong(
  node: CompiledLoadbalance,
  candidates: readonly number[],
  situation: ChoiceContext,
): number {
  if (candidates.length === 1) return candidates[0] as number;
  const { facts, runtime } = situation;
  if (node.sticky) return pickSticky(node, candidates, facts, runtime.now());
  if (node.algorithm === 'weighted' || runtime.random() < EXPLORED) {
    return pickShare(node, candidates, runtime.random());
  }
  return pickShare(node, best(node, candidates, situation), runtime.random());
}

function pickShare({ weights }: CompiledLoadbalance, candidates: readonly number[], random: number): number {
  let point = random * candidates.reduce((sum, index) => sum + (weights[index] ?? 0), 0);
  for (const index of candidates) {
    point -= weights[index] ?? 0;
    if (point < 0) return index;
  }
  return candidates.at(-1) as number;
}

/**
 * Picks by weighted rendezvous hashing: every gateway finds the same target without communication,
 * shares follow the weights, and an unavailable target moves only its own callers. The choice
 * changes when the time to live is over, at a different time for each caller.
 */
function pickSticky(
  { sticky, weights, path }: CompiledLoadbalance,
  candidates: readonly number[],
  facts: RequestFacts,
  nowMs: number,
): number {
  const fields = sticky?.fields ?? [];
  const identity = `${facts.caller()}|${fieldsOf(fields, facts, nowMs) ?? ''}|${path}`;
  const ttlMs = sticky?.ttlMs ?? 1;
  const period = Math.floor(nowMs / ttlMs + unitHash(identity));
  let picked = candidates[0] as number;
  let highest = -1;
  for (const index of candidates) {
    const hash = unitHash(`${String(index)}|${String(period)}|${identity}`);
    const score = -(weights[index] ?? 0) / Math.log(hash);
    if (score > highest) [picked, highest] = [index, score];
  }
  return picked;
}

/** Returns all candidates with the best measurement; all candidates while none is measured. */
function best(
  node: CompiledLoadbalance,
  candidates: readonly number[],
  situation: ChoiceContext,
): readonly number[] {
  let lowest = Infinity;
  let found: number[] = [];
  for (const index of candidates) {
    const { node: child } = node.edges[index] as CompiledEdge;
    const share = node.algorithm === 'least_busy' ? (node.weights[index] ?? 1) : 1;
    const figure = figureOf(child, node.algorithm, situation) / share;
    if (figure < lowest) [lowest, found] = [figure, [index]];
    else if (figure === lowest) found.push(index);
  }
  return found;
}

/**
 * Returns the figure of a node; Infinity when unknown. A strategy adds up the calls in flight of
 * the targets that it may pick, and takes the best of their other figures.
 */
function figureOf(node: CompiledNode, algorithm: BalanceAlgorithm, situation: ChoiceContext): number {
  if (node.kind === 'target') return measured(node, algorithm, situation);
  const edges = isLoadbalance(node)
    ? node.edges.filter((_, index) => (node.weights[index] ?? 0) > 0)
    : node.edges;
  const figures = edges.map((edge) => figureOf(edge.node, algorithm, situation));
  return algorithm === 'least_busy' ? figures.reduce((sum, figure) => sum + figure, 0) : Math.min(...figures);
}

const isLoadbalance = (node: CompiledStrategy): node is CompiledLoadbalance => node.strategy === loadbalance;

function measured(target: CompiledTarget, algorithm: BalanceAlgorithm, situation: ChoiceContext): number {
  const { runtime } = situation;
  const endpoint = situation.endpoint(target);
  const { statistics } = runtime.state;
  switch (algorithm) {
    case 'least_latency':
      return statistics.meanLatencyMs(endpoint, runtime.now()) ?? Infinity;
    case 'least_cost':
      return statistics.costOf(endpoint) ?? Infinity;
    case 'least_busy':
      return statistics.busyOf(endpoint);
    case 'highest_speed':
      return 1 / (statistics.meanSpeed(endpoint, runtime.now()) ?? 0);
    case 'weighted':
      return 0;
  }
}
