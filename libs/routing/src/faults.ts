import type { CompiledNode, CompiledStrategy, CompiledTarget } from '@gw/config-schema';
import type { Mark } from './health';
import type { Strategy } from './strategy';
import type { Situation } from './types';

export type Fault = Mark | 'breaker_open';

/**
 * Why a node should rather not be chosen now, or null. A strategy is out of order when all that it could choose is; rate limits
 * count only when `isChoice` says that there are equals to go to.
 */
export function faultOf(node: CompiledNode, situation: Situation, isChoice: boolean): Fault | null {
  const { compiled, runtime } = situation;
  if (!compiled.hasBreakers && !runtime.state.health.hasMarks) return null;
  return node.kind === 'target'
    ? faultOfTarget(node, situation, isChoice)
    : behaviourOf(node).fault(node, situation, isChoice);
}

/** The manifest of a node: configs are compiled with strategies of this lib alone (`config-language.ts`). */
export const behaviourOf = ({ strategy }: CompiledStrategy): Strategy => strategy as Strategy;

export function isOpen(target: CompiledTarget, situation: Situation): boolean {
  const { breaker } = target;
  if (breaker === null) return false;
  const { runtime } = situation;
  return runtime.state.health.isOpen(situation.endpoint(target), breaker, runtime.now());
}

function faultOfTarget(target: CompiledTarget, situation: Situation, isChoice: boolean): Fault | null {
  if (isOpen(target, situation)) return 'breaker_open';
  const { runtime } = situation;
  const { health } = runtime.state;
  const mark = health.hasMarks ? health.markOf(situation.endpoint(target), runtime.now()) : null;
  return mark === 'rate_limited' && !isChoice ? null : mark;
}

/** Null as soon as one of the ways is in order; else the least of their faults, so that what could still work is not ruled out. */
export function commonFault(
  edges: readonly { readonly node: CompiledNode }[],
  fault: (node: CompiledNode) => Fault | null,
): Fault | null {
  let found: Fault = 'breaker_open';
  for (const { node } of edges) {
    const own = fault(node);
    if (own === null) return null;
    if (own !== 'breaker_open') found = own;
  }
  return found;
}
