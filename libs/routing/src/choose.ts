import type { CompiledCanary, CompiledEdge, CompiledHedge } from '@gw/config-schema';
import type { HedgeOffer } from './budgets';
import { faultOf } from './faults';
import { fieldsOf, unitHash } from './identity';
import type { Situation } from './types';

/** A canary that is out of order is not tried on anybody, and stands in for what runs when that is out of order. */
export function pickCanary(
  { edges, fields, percentage, path }: CompiledCanary,
  situation: Situation,
): CompiledEdge {
  const { facts, runtime } = situation;
  const identity = fieldsOf(fields, facts, runtime.now());
  const point = identity === null ? runtime.random() : unitHash(`${facts.caller()}|${identity}|${path}`);
  const [picked, other] = point * 100 < percentage ? [edges[1], edges[0]] : edges;
  const fault = faultOf(picked.node, situation, true);
  if (fault === null || faultOf(other.node, situation, true) !== null) return picked;
  situation.note(picked.node.path, fault);
  return other;
}

export interface HedgeChoice {
  readonly edge: CompiledEdge;
  /** Null: the request goes out alone. */
  readonly offer: HedgeOffer | null;
}

/** With one of the two out of order the other one is tried alone. */
export function chooseHedge(node: CompiledHedge, situation: Situation): HedgeChoice {
  const { edges, first, second } = node;
  const edge = edges[0] as CompiledEdge;
  const fault = faultOf(first, situation, true);
  const secondFault = second === first ? fault : faultOf(second, situation, true);
  if (fault === null && secondFault === null) return { edge, offer: offerOf(node, situation) };
  situation.note(fault === null ? second.path : first.path, fault ?? secondFault ?? 'breaker_open');
  return { edge: secondFault === null ? (edges.at(-1) as CompiledEdge) : edge, offer: null };
}

/** Null while too little is known of the first target to tell when it is late. */
function offerOf(
  { first, second, delayMs: fixedMs, percentage }: CompiledHedge,
  situation: Situation,
): HedgeOffer | null {
  const { runtime } = situation;
  const { hedges, statistics } = runtime.state;
  const payer = situation.endpoint(first);
  hedges.earn(payer, percentage);
  const delayMs = fixedMs ?? statistics.p95LatencyMs(payer, runtime.now());
  if (delayMs === null) return null;
  const cost = statistics.costOf(payer);
  const secondCost = statistics.costOf(situation.endpoint(second));
  const price = cost !== null && secondCost !== null && cost > 0 ? secondCost / cost : 1;
  return { target: second, delayMs, payer, price };
}
