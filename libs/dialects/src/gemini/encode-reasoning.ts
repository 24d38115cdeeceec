import type { Effort, JsonObject, ModelCall, Reasoning } from '../call';
import { pathOf } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';

/** Encodes `thinkingConfig`; undefined when the model's default applies. */
export function thinkingConfig(call: ModelCall, target: Target, losses: LossLedger): JsonObject | undefined {
  const { reasoning } = call;
  if (reasoning === undefined) return undefined;
  const path = pathOf(call, 'reasoning');
  switch (target.capabilities.reasoning) {
    case 'google-budget':
      return withThoughts(budgetConfig(reasoning, target, path, losses), reasoning);
    case 'level':
      return withThoughts(levelConfig(reasoning, target, path, losses), reasoning);
    case 'none':
    case 'effort':
    case 'adaptive':
    case 'budget':
      if (isOff(reasoning)) return undefined;
      losses.parameter(path, `${target.model} does not reason.`);
      return undefined;
  }
}

const isOff = ({ effort, budget, adaptive }: Reasoning): boolean =>
  budget === 0 || (budget === undefined && adaptive !== true && (effort === undefined || effort === 'none'));

/** Adds `includeThoughts`, unless the client does not want thoughts or there are none. */
function withThoughts(config: JsonObject, { summary, budget, effort }: Reasoning): JsonObject | undefined {
  const isShown = summary !== 'off' && budget !== 0 && (effort !== 'none' || budget !== undefined);
  const shown = isShown ? { ...config, includeThoughts: true } : config;
  return Object.keys(shown).length === 0 ? undefined : shown;
}

/** Google's budgets for efforts; efforts above `high` use the model's largest budget. */
const BUDGETS: Readonly<Partial<Record<Effort, number>>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
};

function budgetConfig(reasoning: Reasoning, target: Target, path: string, losses: LossLedger): JsonObject {
  const { budgetMin, budgetMax } = target.capabilities;
  const { effort, adaptive } = reasoning;
  const wanted =
    reasoning.budget ??
    (effort === undefined
      ? adaptive === true
        ? -1
        : undefined
      : effort === 'none'
        ? 0
        : (BUDGETS[effort] ?? budgetMax ?? -1));
  if (wanted === undefined) return {};
  if (wanted < 0) return { thinkingBudget: -1 };
  const thinkingBudget = Math.min(Math.max(wanted, budgetMin ?? 0), budgetMax ?? wanted);
  if (thinkingBudget !== wanted)
    losses.note(path, 'approximated', `thinkingBudget ${String(thinkingBudget)}`);
  return { thinkingBudget };
}

/** Levels for each effort, the nearest first. */
const NEAREST: Readonly<Record<Effort, readonly Effort[]>> = {
  none: ['minimal', 'low', 'medium', 'high'],
  minimal: ['minimal', 'low', 'medium', 'high'],
  low: ['low', 'medium', 'high'],
  medium: ['medium', 'high'],
  high: ['high'],
  xhigh: ['high'],
  max: ['high'],
};

/**
 * Encodes reasoning as a level. A positive budget is sent as a budget, which Gemini 3 still
 * accepts. Reasoning cannot be disabled.
 */
function levelConfig(reasoning: Reasoning, target: Target, path: string, losses: LossLedger): JsonObject {
  const { budget } = reasoning;
  if (budget !== undefined && budget > 0) return { thinkingBudget: budget };
  if (budget !== undefined && budget < 0) return {};
  const effort = budget === 0 ? 'none' : reasoning.effort;
  if (effort === undefined) return {};
  const level =
    NEAREST[effort].find((name) => target.capabilities.efforts.some((has) => has === name)) ?? 'high';
  const thinkingLevel = level.toUpperCase();
  if (level !== effort) losses.note(path, 'approximated', `thinkingLevel ${thinkingLevel}`);
  return { thinkingLevel };
}
