import type { CompiledEdge, CompiledStrategy, CompiledTarget } from '../compile/compiled';
import { isObject } from '@gw/kernel';
import type { HedgeOffer } from '../budgets';
import { commonFault, faultOf, severityOf } from '../faults';
import { defineStrategy, type Strategy } from '../strategy';
import type { ChoiceContext } from '../types';

interface HedgeSettings {
  readonly hedge_delay?: number;
  readonly hedge_percentage?: number;
}

interface CompiledHedge extends CompiledStrategy {
  /** The nodes of the one or two edges. The second is the first when only one is given. */
  readonly first: CompiledTarget;
  readonly second: CompiledTarget;
  /** Null: learnt from the first target's latency. */
  readonly delayMs: number | null;
  readonly percentage: number;
}

const PERCENTAGE = 8;

const settingsOf = (settings: object): HedgeSettings => settings;

/**
 * Calls the first of one or two targets; sends a second request to the last one when it is slow.
 */
export const hedge: Strategy = defineStrategy<CompiledHedge>({
  mode: 'hedge',
  members: {
    /**
     * Milliseconds before the second request; the first target's recent 95th percentile when
     * absent.
     */
    hedge_delay: { type: 'integer', minimum: 1, maximum: 60_000, description: 'milliseconds' },
    /** Budget of second requests, in per cent of the first ones. */
    hedge_percentage: { type: 'number', exclusiveMinimum: 0, maximum: 100 },
  },
  check(_settings, targets, path, report) {
    if (targets.length > 2)
      report([...path, 'targets'], 'hedge_targets', 'must be one or two in mode hedge', targets);
    targets.forEach((target, index) => {
      if (!isObject(target) || target['strategy'] === undefined) return;
      const message = 'must be a plain target; put the other strategy around this one';
      report([...path, 'targets', index, 'strategy'], 'hedge_targets', message, target['strategy']);
    });
  },
  measures: () => true,
  compile({ config, path, edges: compileEdges }) {
    const { hedge_delay: delayMs = null, hedge_percentage: percentage = PERCENTAGE } = settingsOf(
      config.strategy,
    );
    const edges = compileEdges();
    return Object.freeze({
      kind: 'strategy',
      strategy: hedge,
      path,
      edges,
      first: edges[0]?.node as CompiledTarget,
      second: edges.at(-1)?.node as CompiledTarget,
      delayMs,
      percentage,
    });
  },
  /** When one of the two is unavailable, the other one is used alone; of two, the one that may work. */
  choose(node, cursor) {
    const { edges, first, second } = node;
    const edge = edges[0] as CompiledEdge;
    const fault = faultOf(first, cursor, true);
    const secondFault = second === first ? fault : faultOf(second, cursor, true);
    if (fault === null && secondFault === null) {
      cursor.hedge(offerOf(node, cursor));
      return edge;
    }
    cursor.hedge(null);
    cursor.note(fault === null ? second.path : first.path, fault ?? secondFault ?? 'breaker_open');
    return severityOf(secondFault) < severityOf(fault) ? (edges.at(-1) as CompiledEdge) : edge;
  },
  fault: ({ edges }, situation, isChoice) =>
    commonFault(edges, (child) => faultOf(child, situation, isChoice)),
});

/** Returns null while the first target has too few measurements to derive a delay from. */
function offerOf(
  { first, second, delayMs: fixedMs, percentage }: CompiledHedge,
  situation: ChoiceContext,
): HedgeOffer | null {
  const { runtime } = situation;
  const { hedges, statistics } = runtime.state;
  const payer = situation.endpoint(first);
  hedges.earn(payer, percentage);
  const delayMs = fixedMs ?? statistics.p95LatencyMs(payer, runtime.now());
  if (delayMs === null) return null;
  const cost = statistics.costOf(payer);
  const secondCost = statistics.costOf(situation.endpoint(second));
  // A cheaper second request pays as much as a first one: the budget also bounds their number.
  const price = cost !== null && secondCost !== null && cost > 0 ? Math.max(1, secondCost / cost) : 1;
  return { target: second, delayMs, payer, price };
}
