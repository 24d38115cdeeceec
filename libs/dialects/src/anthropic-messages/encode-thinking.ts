import { pathOf, type Effort, type JsonObject, type ModelCall, type Reasoning } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { effortOfBudget, nearestEffort } from '../values/effort';

/**
 * How a call thinks: the members to send, and whether a budget limits sampling, tools and prefill.
 */
export interface Thinking {
  readonly thinking?: JsonObject;
  readonly effort?: Effort;
  /**
   * Whether thinking has a budget. Then the model refuses a forced tool, a prefill, `top_k`, a
   * temperature other than 1 and a low `top_p`.
   */
  readonly hasBudget: boolean;
}

export interface ThinkingFacts {
  /** The `max_tokens` to send, which a budget stays below. */
  readonly maxTokens: number;
  /**
   * Whether the history has the thinking that a model with a budget requires: in the assistant
   * message whose tool results come last. True without such a message.
   */
  readonly hasThinking: boolean;
}

/** Smallest budget of Anthropic, in tokens. */
const BUDGET_MIN = 1_024;

/**
 * Share of `max_tokens` that becomes the budget of an effort, on models that support only budgets.
 * The smallest and the largest budget still apply.
 */
const SHARES: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
};

const OFF: Thinking = { hasBudget: false };

/**
 * Plans thinking in a form that the model supports: adaptive thinking with or without an effort, a
 * budget, an effort without thinking, or none. Records approximations in `losses`.
 */
export function encodeThinking(
  call: ModelCall,
  target: Target,
  losses: LossLedger,
  facts: ThinkingFacts,
): Thinking {
  return call.reasoning === undefined ? OFF : new Planner(call, target, losses, facts).plan(call.reasoning);
}

class Planner {
  private readonly path: string;

  constructor(
    private readonly call: ModelCall,
    private readonly target: Target,
    private readonly losses: LossLedger,
    private readonly facts: ThinkingFacts,
  ) {
    this.path = pathOf(call, 'reasoning');
  }

  plan(wanted: Reasoning): Thinking {
    const { reasoning, thinkingBudget } = this.target.capabilities;
    if (wanted.adaptive === false && wanted.effort !== undefined && wanted.effort !== 'none')
      return this.effortOnly(wanted.effort);
    if (reasoning === 'budget')
      return this.facts.hasThinking ? this.budget(wanted) : this.withoutHistory(wanted);
    if (reasoning === 'adaptive') {
      // Adaptive thinking needs no thinking in the history.
      const takesBudget = thinkingBudget && (wanted.budget ?? 0) > 0 && this.facts.hasThinking;
      return takesBudget ? this.budget(wanted) : this.adaptive(wanted);
    }
    if (!isOff(wanted)) this.losses.parameter(this.path, 'The model has no thinking.');
    return OFF;
  }

  /** Plans an effort without thinking, which clients of this dialect may send. */
  private effortOnly(wanted: Effort): Thinking {
    if (this.target.capabilities.efforts.length > 0) return { effort: this.known(wanted), hasBudget: false };
    this.losses.parameter(this.path, 'The model has no effort.');
    return OFF;
  }

  /** Returns the model's effort that is nearest to the requested one; records a difference. */
  private known(wanted: Effort): Effort {
    const { efforts } = this.target.capabilities;
    // `xhigh` becomes `max` on models without `xhigh`; `nearestEffort` would prefer `high`.
    const isMax = wanted === 'xhigh' && !efforts.includes('xhigh') && efforts.includes('max');
    const found = isMax ? 'max' : (nearestEffort(wanted, efforts) ?? wanted);
    if (found !== wanted) this.approximated(`effort ${found}`);
    return found;
  }

  /** Plans adaptive thinking. A budget becomes the effort, in place of a requested effort. */
  private adaptive(wanted: Reasoning): Thinking {
    if (isOff(wanted)) return { thinking: { type: 'disabled' }, hasBudget: false };
    const byBudget = effortOfBudget(wanted, this.call.maxTokens);
    const effort = byBudget ?? wanted.effort;
    const known = effort === undefined ? undefined : this.known(effort);
    if (byBudget !== undefined && known === byBudget) this.approximated(`effort ${known}`);
    // Chat clients cannot request that thinking is shown, so it always is; other clients must
    // request it.
    const isShown = this.call.from === 'openai-chat';
    return {
      thinking: { type: 'adaptive', ...display(wanted.summary ?? (isShown ? 'auto' : undefined)) },
      ...(known === undefined ? {} : { effort: known }),
      hasBudget: false,
    };
  }

  /**
   * Disables thinking for this response, because the history lacks thinking that the model
   * requires.
   */
  private withoutHistory(wanted: Reasoning): Thinking {
    if (this.wantedBudget(wanted) !== undefined)
      this.approximated('no thinking, because the history has none');
    return OFF;
  }

  /** Plans a budget from 1,024 to `max_tokens` - 1 tokens; none if `max_tokens` is too small. */
  private budget(reasoning: Reasoning): Thinking {
    const { maxTokens } = this.facts;
    const wanted = this.wantedBudget(reasoning);
    if (wanted === undefined) return OFF;
    if (maxTokens <= BUDGET_MIN) {
      this.approximated('no thinking, because max_tokens is too small');
      return OFF;
    }
    const budget = Math.max(BUDGET_MIN, Math.min(wanted, maxTokens - 1));
    if (budget !== reasoning.budget) this.approximated(`budget_tokens ${String(budget)}`);
    // An effort next to a budget was sent by the client, but for one of a Gemini client, which was
    // derived from the budget. An effort alone has become the budget.
    const isSent = reasoning.budget !== undefined && this.call.from !== 'gemini';
    const effort = isSent ? this.effortNextTo(budget, reasoning) : undefined;
    return {
      thinking: { type: 'enabled', budget_tokens: budget, ...display(reasoning.summary) },
      ...(effort === undefined ? {} : { effort }),
      hasBudget: true,
    };
  }

  /**
   * Returns the effort to send next to a budget; undefined without one. On models without efforts
   * the budget takes its place.
   */
  private effortNextTo(budget: number, { effort, budget: requested }: Reasoning): Effort | undefined {
    if (effort === undefined) return undefined;
    if (effort !== 'none' && this.target.capabilities.efforts.length > 0) return this.known(effort);
    if (budget === requested) this.approximated(`budget_tokens ${String(budget)}`);
    return undefined;
  }

  /**
   * Returns the requested budget in tokens, not yet bounded; undefined for no thinking. If the
   * model should decide and no effort is requested, it gets that of a high effort.
   */
  private wantedBudget({ budget = -1, effort, adaptive }: Reasoning): number | undefined {
    if (budget >= 0) return budget > 0 ? budget : undefined;
    const share = effort ?? (adaptive === true ? 'high' : 'none');
    return share === 'none' ? undefined : Math.floor(this.facts.maxTokens * SHARES[share]);
  }

  private approximated(to: string): void {
    this.losses.note(this.path, 'approximated', to);
  }
}

const isOff = ({ effort, budget }: Reasoning): boolean =>
  budget === 0 || (budget === undefined && effort === 'none');

const display = (summary: Reasoning['summary']): JsonObject =>
  summary === undefined ? {} : { display: summary === 'off' ? 'omitted' : 'summarized' };
