import type { CompiledNode, CompiledStrategy, CompiledTarget } from './compile/compiled';
import type { Mark } from './health';
import type { Strategy } from './strategy';
import type { ChoiceContext } from './types';

export type Fault = Mark | 'breaker_open';

/**
 * Returns why a node should not be chosen now; null when it may be. A strategy is unavailable when
 * everything that it could choose is unavailable. Rate limits count only with `isChoice`, which
 * means that there are equal alternatives.
 */
export function faultOf(node: CompiledNode, situation: ChoiceContext, isChoice: boolean): Fault | null {
  const { compiled, runtime } = situation;
  if (!compiled.hasBreakers && !runtime.state.health.hasMarks) return null;
  return node.kind === 'target'
    ? faultOfTarget(node, situation, isChoice)
    : behaviourOf(node).fault(node, situation, isChoice);
}

/**
 * Returns the strategy of a node. The cast is safe: configs are compiled only with strategies of
 * this library (`config-language.ts`).
 */
export const behaviourOf = ({ strategy }: CompiledStrategy): Strategy => strategy as Strategy;

export function isOpen(target: CompiledTarget, situation: ChoiceContext): boolean {
  const { breaker } = target;
  if (breaker === null) return false;
  const { runtime } = situation;
  return runtime.state.health.isOpen(situation.endpoint(target), breaker, runtime.now());
}

function faultOfTarget(target: CompiledTarget, situation: ChoiceContext, isChoice: boolean): Fault | null {
  if (isOpen(target, situation)) return 'breaker_open';
  const { runtime } = situation;
  const { health } = runtime.state;
  const mark = health.hasMarks ? health.markOf(situation.endpoint(target), runtime.now()) : null;
  return mark === 'rate_limited' && !isChoice ? null : mark;
}

/**
 * Orders faults: an available node first, then one that is avoided but may work, then one whose
 * breaker is open.
 */
export const severityOf = (fault: Fault | null): number =>
  fault === null ? 0 : fault === 'breaker_open' ? 2 : 1;

/**
 * Returns null if any of the edges is available, else the least severe of their faults, so that a
 * target that might still work is not ruled out.
 */
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
