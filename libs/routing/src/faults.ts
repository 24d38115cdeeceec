import type { CompiledBranch, CompiledConditional, CompiledNode, CompiledTarget } from '@gw/config-schema';
import { matches } from './evaluate';
import type { Mark } from './health';
import type { Situation } from './types';

export type Fault = Mark | 'breaker_open';

/**
 * Why a node should rather not be chosen now, or null. A strategy is out of order when all that it could choose is; rate limits
 * count only when `isChoice` says that there are equals to go to.
 */
export function faultOf(node: CompiledNode, situation: Situation, isChoice: boolean): Fault | null {
  const { compiled, runtime } = situation;
  if (!compiled.hasBreakers && !runtime.state.health.hasMarks) return null;
  switch (node.kind) {
    case 'target':
      return faultOfTarget(node, situation, isChoice);
    case 'conditional': {
      const branch = branchOf(node, situation);
      return branch && faultOf(branch.edge.node, situation, isChoice);
    }
    case 'loadbalance':
      return common(
        node.edges.filter((_, index) => (node.weights[index] ?? 0) > 0),
        (child) => faultOf(child, situation, true),
      );
    case 'fallback':
    case 'canary':
    case 'hedge':
      return common(node.edges, (child) => faultOf(child, situation, isChoice));
  }
}

/** What a conditional decides for a request: its first condition that holds, its default, or null. */
export function branchOf(node: CompiledConditional, { facts, runtime }: Situation): CompiledBranch | null {
  const nowMs = runtime.now();
  return node.branches.find(({ query }) => matches(query, facts, nowMs)) ?? node.otherwise;
}

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
function common(
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
