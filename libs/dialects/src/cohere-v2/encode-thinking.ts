import { pathOf, type Effort, type JsonObject, type ModelCall, type Reasoning } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';

/** Share of the output tokens that becomes the budget of an effort. */
const SHARES: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 0.1,
  low: 0.2,
  medium: 0.5,
  high: 0.8,
  xhigh: 0.95,
  max: 0.95,
};
/** Output tokens of a model whose maximum is unknown. */
const OUTPUT_TOKENS = 4_096;

/** Encodes `thinking`; undefined when the model's default applies. */
export function encodeThinking(call: ModelCall, target: Target, losses: LossLedger): JsonObject | undefined {
  const { reasoning } = call;
  if (reasoning === undefined) return undefined;
  const path = pathOf(call, 'reasoning');
  const wanted = wantedThinking(reasoning);
  if (wanted === null) return undefined;
  if (target.capabilities.reasoning !== 'budget') {
    if (wanted !== 'off') losses.parameter(path, `${target.model} does not reason.`);
    return undefined;
  }
  if (wanted === 'off') return { type: 'disabled' };
  if (wanted === 'on') return { type: 'enabled' };
  if (typeof wanted === 'number') return { type: 'enabled', token_budget: wanted };
  const tokens = call.maxTokens ?? target.capabilities.maxOutput ?? OUTPUT_TOKENS;
  const budget = Math.max(1, Math.floor(tokens * SHARES[wanted.effort]));
  losses.note(path, 'approximated', `token_budget ${String(budget)}`);
  return { type: 'enabled', token_budget: budget };
}

/**
 * A budget in tokens, an effort, or whether the model should think at all. A budget takes
 * precedence over an effort.
 */
type Wanted = 'on' | 'off' | number | { readonly effort: keyof typeof SHARES };

function wantedThinking({ budget, effort, adaptive }: Reasoning): Wanted | null {
  if (budget !== undefined) return budget === 0 ? 'off' : budget < 0 ? 'on' : budget;
  if (effort !== undefined) return effort === 'none' ? 'off' : { effort };
  return adaptive === true ? 'on' : null;
}
