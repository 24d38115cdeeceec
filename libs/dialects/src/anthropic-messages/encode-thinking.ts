import { pathOf, type Effort, type JsonObject, type ModelCall, type Reasoning } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { effortOfBudget, nearestEffort } from '../values/effort';

/** How a call thinks: the members to send, and whether thinking limits sampling and tool choice. */
export interface Thinking {
  readonly thinking?: JsonObject;
  readonly effort?: Effort;
  /** Whether thinking has a budget; then sampling, prefill and a forced tool are refused. */
  readonly hasBudget: boolean;
}

export interface ThinkingFacts {
  readonly maxTokens: number;
  /** Whether the history has the thinking that a model with a budget requires. */
  readonly hasThinking: boolean;
}

/** Smallest budget of Anthropic, in tokens. */
const BUDGET_MIN = 1_024;

/**
 * Share of `max_tokens` that becomes the budget of an effort, on models that support only budgets.
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
 * Plans thinking in a form that the model supports: adaptive thinking with an effort, a budget, or
 * none.
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
      return thinkingBudget && (wanted.budget ?? 0) > 0 ? this.budget(wanted) : this.adaptive(wanted);
    }
    if (!isOff(wanted)) this.losses.parameter(this.path, 'The model has no thinking.');
    return OFF;
  }

  /** Handles an effort without thinking, which clients of this dialect may send. */
  private effortOnly(wanted: Effort): Thinking {
    if (this.target.capabilities.efforts.length > 0) return { effort: this.known(wanted), hasBudget: false };
    this.losses.parameter(this.path, 'The model has no effort.');
    return OFF;
  }

  /** Returns the model's effort that is nearest to the requested one. */
  private known(wanted: Effort): Effort {
    const { efforts } = this.target.capabilities;
    // Above `high`, a higher effort is preferred to a lower one: `xhigh` becomes `max` on models
    // without `xhigh`.
    const isMax = wanted === 'xhigh' && !efforts.includes('xhigh') && efforts.includes('max');
    const found = isMax ? 'max' : (nearestEffort(wanted, efforts) ?? wanted);
    if (found !== wanted) this.approximated(`effort ${found}`);
    return found;
  }

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
    // An effort next to a budget was sent by the client; an effort alone has become the budget.
    const effort = reasoning.budget === undefined ? undefined : reasoning.effort;
    const isTaken = effort !== undefined && this.target.capabilities.efforts.includes(effort);
    return {
      thinking: { type: 'enabled', budget_tokens: budget, ...display(reasoning.summary) },
      ...(isTaken ? { effort } : {}),
      hasBudget: true,
    };
  }

  /**
   * Returns the requested budget in tokens; undefined for no thinking, and when the model decides.
   */
  private wantedBudget({ budget, effort, adaptive }: Reasoning): number | undefined {
    if (budget !== undefined) return budget > 0 ? budget : undefined;
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
