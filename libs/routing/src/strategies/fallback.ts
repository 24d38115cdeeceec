import { STATUS_CODES } from '@gw/config-schema';
import type { CompiledEdge, CompiledNode, CompiledStrategy, CompiledTarget } from '../compile/compiled';
import { commonFault, faultOf } from '../faults';
import { defineStrategy, type Frame, type Strategy } from '../strategy';
import type { AttemptOutcome, ChoiceContext } from '../types';

interface CompiledFallback extends CompiledStrategy {
  /** Null: every status but 2xx moves on. */
  readonly onStatusCodes: readonly number[] | null;
}

/**
 * Attempts its targets in order. A status in its list, or a failure, moves on to the next target.
 */
export const fallback: Strategy = defineStrategy<CompiledFallback>({
  mode: 'fallback',
  members: {
    /**
     * Only these statuses move on; when absent, every status but 2xx does. Network failures always
     * do.
     */
    on_status_codes: STATUS_CODES,
  },
  compile({ config, path, edges }) {
    const codes = config.strategy['on_status_codes'] as readonly number[] | undefined;
    const onStatusCodes = codes ? Object.freeze([...codes]) : null;
    return Object.freeze({ kind: 'strategy', strategy: fallback, path, edges: edges(), onStatusCodes });
  },
  choose(node, cursor) {
    const frame = new FallbackFrame(node, cursor.frame);
    cursor.frame = frame;
    return frame.first(cursor);
  },
  fault: ({ edges }, situation, isChoice) =>
    commonFault(edges, (child) => faultOf(child, situation, isChoice)),
});

class FallbackFrame implements Frame {
  /** Index of the next edge. */
  private index = 0;
  /** Edges put last because their credential fails. */
  private later: CompiledEdge[] | null = null;
  /** All breakers are open, so they are ignored. */
  private isBypassing = false;

  constructor(
    private readonly node: CompiledFallback,
    readonly outer: Frame | null,
  ) {}

  /**
   * Returns the first edge. When every breaker is open, it ignores the breakers, because an attempt
   * may still succeed.
   */
  first(situation: ChoiceContext): CompiledEdge | null {
    const edge = this.next(situation);
    if (edge) return edge;
    this.index = 0;
    this.isBypassing = true;
    return this.next(situation);
  }

  get isSpent(): boolean {
    return this.index >= this.node.edges.length && (this.later?.length ?? 0) === 0;
  }

  next(situation: ChoiceContext): CompiledEdge | null {
    const { edges } = this.node;
    while (this.index < edges.length) {
      const edge = edges[this.index++] as CompiledEdge;
      const fault = this.isBypassing ? null : faultOf(edge.node, situation, false);
      if (fault === null) return edge;
      situation.note(edge.node.path, fault);
      if (fault !== 'breaker_open') (this.later ??= []).push(edge);
    }
    return this.later?.shift() ?? null;
  }

  /** Failures except denials always move on; statuses by the list, or when they are not 2xx. */
  movesOn(outcome: AttemptOutcome | null, target: CompiledTarget | null): boolean {
    if (outcome === null) return true;
    const { status, failure } = outcome;
    const { onStatusCodes } = this.node;
    if (failure === 'cut') return target?.onStreamFailure === 'continue';
    if (failure === 'denied') return target !== null && movesOnFromDenial(target, this.node);
    if (failure !== null || status === null) return true;
    return onStatusCodes === null ? status < 200 || status > 299 : onStatusCodes.includes(status);
  }

  sibling(): null {
    return null;
  }
}

/** Status of a guardrail's denial. */
const DENIED = 446;

/**
 * Whether a fallback moves on from a target whose guardrails denied the request or the response.
 * With a list of statuses: when it has 446. Without one: when all its targets have the guardrails
 * of the one that denied, so that the next response is checked by the same guardrails. A target
 * with fewer or other ones must not return what they denied.
 */
function movesOnFromDenial(denied: CompiledTarget, fallback: CompiledFallback): boolean {
  const { onStatusCodes, edges } = fallback;
  if (onStatusCodes !== null) return onStatusCodes.includes(DENIED);
  const guardrails = guardrailsOf(denied);
  return edges.every(({ node }) => targetsOf(node).every((target) => guardrailsOf(target) === guardrails));
}

const guardrailsOf = ({ inputGuardrails, outputGuardrails }: CompiledTarget): string =>
  JSON.stringify([inputGuardrails, outputGuardrails]);

const targetsOf = (node: CompiledNode): readonly CompiledTarget[] =>
  node.kind === 'target' ? [node] : node.edges.flatMap((edge) => targetsOf(edge.node));
