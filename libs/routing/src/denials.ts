import type { CompiledFallback, CompiledNode, CompiledTarget } from '@gw/config-schema';

/** The status of a guardrail's denial. */
const DENIED = 446;

/**
 * Whether a fallback moves on from a target whose guardrails denied the request or the answer. With a list of statuses: when it has
 * 446. Without one: when all its targets have the guardrails of the one that denied, so that the next answer is judged by the same
 * ones; a target with fewer or other ones must not give what they denied.
 */
export function movesOnFromDenial(denied: CompiledTarget, fallback: CompiledFallback): boolean {
  const { onStatusCodes, edges } = fallback;
  if (onStatusCodes !== null) return onStatusCodes.includes(DENIED);
  const guardrails = guardrailsOf(denied);
  return edges.every(({ node }) => targetsOf(node).every((target) => guardrailsOf(target) === guardrails));
}

const guardrailsOf = ({ inputGuardrails, outputGuardrails }: CompiledTarget): string =>
  JSON.stringify([inputGuardrails, outputGuardrails]);

const targetsOf = (node: CompiledNode): readonly CompiledTarget[] =>
  node.kind === 'target' ? [node] : node.edges.flatMap((edge) => targetsOf(edge.node));
