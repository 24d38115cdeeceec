import { GatewayError } from '@gw/kernel';
import type {
  CompiledConditional,
  CompiledConfig,
  CompiledEdge,
  CompiledFallback,
  CompiledLoadbalance,
  CompiledNode,
  CompiledTarget,
} from '@gw/config-schema';
import { matches } from './evaluate';
import { isRetryable, WAIT_BUDGET_MS, waitBefore } from './retry';
import type { AttemptOutcome, RequestFacts, RoutingRuntime, RoutingStep, StopReason } from './types';

/** Starts one request's way through a config. */
export const createPlan = (
  compiled: CompiledConfig,
  facts: RequestFacts,
  runtime: RoutingRuntime,
): RoutingCursor => new RoutingCursor(compiled.root, facts, runtime);

/** A fallback that is under way: which of its targets is being tried, and the fallback around it. */
interface Frame {
  readonly node: CompiledFallback;
  index: number;
  readonly outer: Frame | null;
}

const NO_TRAIL: readonly string[] = Object.freeze([]);

/**
 * Says what to do next, one outcome at a time. It ends always: every step either uses up one of a target's attempts (at most 6)
 * or moves a fallback to its next target, and a config has at most 100 targets.
 */
export class RoutingCursor {
  private frame: Frame | null = null;
  private target: CompiledTarget | null = null;
  private retry = 0;
  private waitedMs = 0;
  private end: StopReason | null = null;
  private trail: string[] | null = null;
  private condition: string | null = null;
  private gaveUp = false;
  private exhausted = false;

  /** Use `createPlan`. */
  constructor(
    private readonly root: CompiledNode,
    private readonly facts: RequestFacts,
    private readonly runtime: RoutingRuntime,
  ) {}

  /**
   * The next step. `previous` is the outcome of the step before, null the first time only.
   * Throws `condition_unmatched` when nothing could be tried at all, because a conditional had neither a match nor a default.
   */
  next(previous: AttemptOutcome | null): RoutingStep {
    if (this.end !== null) return { kind: 'stop', reason: this.end };
    if (this.target === null) return this.enter(this.root);
    if (previous === null) {
      throw new GatewayError('internal_error', {
        detail: { reason: 'routing was asked twice for one step' },
      });
    }
    return this.again(this.target, previous) ?? this.onward(previous);
  }

  /** The choices so far, in order, for the decision record: `config: fallback -> targets[1]`. */
  get strategyTrail(): readonly string[] {
    return this.trail ?? NO_TRAIL;
  }

  /** The last condition that decided, or the default that stood in: `config.strategy.conditions[0] -> premium`. */
  get matchedCondition(): string | null {
    return this.condition;
  }

  /** Retries of the last tried target; -1 once they were used up or could not be waited for, with none succeeding. */
  get retryCount(): number {
    return this.gaveUp ? -1 : this.retry;
  }

  /** Another try of the same target, if its outcome, its attempts and the wait budget allow. */
  private again(target: CompiledTarget, outcome: AttemptOutcome): RoutingStep | null {
    const rules = target.retry;
    if (rules.attempts === 0 || !isRetryable(outcome, rules)) return null;
    this.gaveUp = true;
    if (this.retry >= rules.attempts) return null;
    const budgetMs = WAIT_BUDGET_MS - this.waitedMs;
    const waitMs = waitBefore(this.retry + 1, outcome, rules, budgetMs, this.runtime);
    if (waitMs === null) return null;
    this.gaveUp = false;
    this.waitedMs += waitMs;
    this.retry++;
    return { kind: 'try', target, retry: this.retry, waitMs };
  }

  private onward(outcome: AttemptOutcome): RoutingStep {
    const edge = this.nextEdge(outcome);
    return edge ? this.enter(this.follow(edge)) : this.stop();
  }

  /** Down to a target. A conditional that matches nothing is a target that failed: a fallback around it moves on. */
  private enter(start: CompiledNode): RoutingStep {
    let node = start;
    while (node.kind !== 'target') {
      const edge = this.choose(node) ?? this.nextEdge(null);
      if (edge) node = this.follow(edge);
      else if (this.target) return this.stop();
      else throw new GatewayError('condition_unmatched');
    }
    this.target = node;
    this.retry = 0;
    this.gaveUp = false;
    return { kind: 'try', target: node, retry: 0, waitMs: 0 };
  }

  /** The next target of the innermost fallback that acts on the outcome; `outcome` null is a choice that could not be made. */
  private nextEdge(outcome: AttemptOutcome | null): CompiledEdge | null {
    this.exhausted = false;
    for (; this.frame !== null; this.frame = this.frame.outer) {
      const { node } = this.frame;
      if (outcome !== null && !fallsBack(outcome, node)) continue;
      this.exhausted = true;
      const edge = node.edges[++this.frame.index];
      if (edge) return edge;
    }
    return null;
  }

  private stop(): RoutingStep {
    this.end = this.exhausted ? 'targets_exhausted' : 'answered';
    return { kind: 'stop', reason: this.end };
  }

  private choose(node: CompiledFallback | CompiledLoadbalance | CompiledConditional): CompiledEdge | null {
    switch (node.kind) {
      case 'fallback':
        this.frame = { node, index: 0, outer: this.frame };
        return node.edges[0] ?? null;
      case 'loadbalance':
        return pickByWeight(node, this.runtime.random());
      case 'conditional':
        return this.pickByCondition(node);
    }
  }

  private pickByCondition(node: CompiledConditional): CompiledEdge | null {
    const branch = node.branches.find(({ query }) => matches(query, this.facts)) ?? node.otherwise;
    if (!branch) return null;
    this.condition = branch.label;
    return branch.edge;
  }

  private follow(edge: CompiledEdge): CompiledNode {
    (this.trail ??= []).push(edge.trail);
    return edge.node;
  }
}

/** Failures always move a fallback on; statuses by its list, or when they are not 2xx. */
function fallsBack({ status, failure }: AttemptOutcome, { onStatusCodes }: CompiledFallback): boolean {
  if (failure !== null || status === null) return true;
  return onStatusCodes === null ? status < 200 || status > 299 : onStatusCodes.includes(status);
}

/** A target of weight 0 has an empty share and is never hit, whatever `random` gives. */
function pickByWeight({ edges, cumulativeWeights }: CompiledLoadbalance, random: number): CompiledEdge {
  const total = cumulativeWeights[cumulativeWeights.length - 1] ?? 0;
  const point = random * total;
  const index = cumulativeWeights.findIndex((sum) => point < sum);
  // Rounding may carry the point to the very end: it belongs to the last share that is not empty.
  return edges[index >= 0 ? index : cumulativeWeights.indexOf(total)] as CompiledEdge;
}
