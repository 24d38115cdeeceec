import { pathOf, type Effort, type JsonObject, type ModelCall, type Reasoning } from '../call';
import { encodeThinking, type ThinkingFacts } from '../anthropic-messages/encode-thinking';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { effortOfBudget, nearestEffort } from '../values/effort';
import type { BedrockModel } from './models';

export interface EncodedThinking {
  /** Members of `additionalModelRequestFields`. */
  readonly fields: JsonObject;
  /**
   * Whether Claude has a budget of thinking tokens; then sampling, prefill and a forced tool are
   * refused.
   */
  readonly hasBudget: boolean;
}

const OFF: EncodedThinking = { fields: {}, hasBudget: false };
/** Claude Opus 4.5 takes an effort only with this beta flag. */
const EFFORT_BETA = 'effort-2025-11-24';

/** Encodes reasoning in the words of the model's maker. */
export function encodeReasoning(
  call: ModelCall,
  model: BedrockModel,
  target: Target,
  losses: LossLedger,
  facts: ThinkingFacts,
): EncodedThinking {
  const { reasoning } = call;
  if (reasoning === undefined) return OFF;
  switch (model.reasoning) {
    case 'claude':
      return claude(encodeThinking(call, target, losses, facts), model);
    case 'nova':
      return { fields: novaConfig(call, reasoning, losses), hasBudget: false };
    case 'effort':
      return { fields: effortField(call, reasoning, losses), hasBudget: false };
    case 'none':
      if (!isOff(reasoning))
        losses.parameter(pathOf(call, 'reasoning'), 'The reasoning of the model cannot be controlled.');
      return OFF;
  }
}

function claude(
  { thinking, effort, hasBudget }: ReturnType<typeof encodeThinking>,
  { id }: BedrockModel,
): EncodedThinking {
  const needsBeta = effort !== undefined && id.startsWith('anthropic.claude-opus-4-5');
  return {
    fields: {
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { output_config: { effort } }),
      ...(needsBeta ? { anthropic_beta: [EFFORT_BETA] } : {}),
    },
    hasBudget,
  };
}

const isOff = ({ effort, budget, adaptive }: Reasoning): boolean =>
  budget === 0 || (budget === undefined && adaptive !== true && (effort === undefined || effort === 'none'));

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];

/** Returns the nearest effort that the model has; undefined when the model decides. */
function effortOf(call: ModelCall, reasoning: Reasoning, losses: LossLedger): Effort | undefined {
  const wanted = effortOfBudget(reasoning, call.maxTokens) ?? reasoning.effort;
  if (wanted === undefined || wanted === 'none') return undefined;
  const found = nearestEffort(wanted, EFFORTS) ?? wanted;
  const isExact = found === reasoning.effort && (reasoning.budget === undefined || reasoning.budget < 0);
  if (!isExact) losses.note(pathOf(call, 'reasoning'), 'approximated', `effort ${found}`);
  return found;
}

/**
 * Nova refuses high effort together with a limit of the output or sampling; medium is the nearest.
 */
function novaConfig(call: ModelCall, reasoning: Reasoning, losses: LossLedger): JsonObject {
  if (isOff(reasoning)) return { reasoningConfig: { type: 'disabled' } };
  const path = pathOf(call, 'reasoning');
  const wanted = effortOf(call, reasoning, losses) ?? 'medium';
  const isLimited = [call.maxTokens, call.temperature, call.topP].some((value) => value !== undefined);
  const isLowered = wanted === 'high' && isLimited;
  if (isLowered) losses.note(path, 'approximated', 'effort medium, because the output is limited or sampled');
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort: isLowered ? 'medium' : wanted } };
}

function effortField(call: ModelCall, reasoning: Reasoning, losses: LossLedger): JsonObject {
  if (isOff(reasoning)) {
    if (reasoning.effort === 'none' || reasoning.budget === 0)
      losses.note(pathOf(call, 'reasoning'), 'approximated', "the model's default");
    return {};
  }
  const effort = effortOf(call, reasoning, losses);
  return effort === undefined ? {} : { reasoning_effort: effort };
}
