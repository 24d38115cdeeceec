import { pathOf, type Effort, type JsonObject, type ModelCall, type ServiceTier } from '../call';
import type { LossLedger } from '../losses';
import type { ChatForm } from '../openai-chat/form';
import type { ProviderTraits, Target } from '../target';
import { effortOfBudget, nearestEffort } from '../values/effort';
import { noteSummary } from '../values/missing-members';
import { encodePart } from './encode-content';

/** Members that Mistral's API does not accept, or names differently. Source: Mistral's SDK 2.7. */
const TRAITS: ProviderTraits = {
  maxTokensField: 'max_tokens',
  rename: { seed: 'random_seed' },
  drop: [
    'user',
    'safety_identifier',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'verbosity',
    'top_k',
    'min_p',
    'modalities',
    'audio',
    'prompt_cache_retention',
  ],
  clamp: { temperature: [0, 1.5], frequency_penalty: [-2, 2], presence_penalty: [-2, 2] },
  usageOnRequest: false,
  shortToolIds: true,
  prefillMember: 'prefix',
};

/** Returns the target with Mistral's traits; those of the provider's row are added. */
export function withTraits(target: Target): Target {
  const { traits } = target;
  return {
    ...target,
    traits: {
      ...TRAITS,
      ...traits,
      rename: { ...TRAITS.rename, ...traits.rename },
      drop: [...new Set([...(TRAITS.drop ?? []), ...(traits.drop ?? [])])],
      clamp: { ...TRAITS.clamp, ...traits.clamp },
    },
  };
}

/** Encodes reasoning: an effort, or for Magistral a prompt that makes the model reason. */
function reasoning(call: ModelCall, { capabilities }: Target, losses: LossLedger): JsonObject {
  const wanted = wantedEffort(call);
  if (wanted === undefined) return {};
  const path = pathOf(call, 'reasoning');
  noteSummary(call, losses);
  if (capabilities.reasoningPrompt) return reasoningPrompt(wanted, path, losses);
  const effort = nearestEffort(wanted, capabilities.efforts.length === 0 ? EFFORTS : capabilities.efforts);
  // A model without efforts does not reason, so it needs no setting.
  if (effort === 'none' && capabilities.reasoning === 'none') return {};
  if (effort !== call.reasoning?.effort)
    losses.note(path, 'approximated', `reasoning_effort ${String(effort)}`);
  return { reasoning_effort: effort };
}

/** Efforts of models that reason only on request. */
const EFFORTS: readonly Effort[] = ['none', 'high'];

const wantedEffort = ({ reasoning: given = {}, maxTokens }: ModelCall): Effort | undefined =>
  effortOfBudget(given, maxTokens) ?? given.effort ?? (given.adaptive === true ? 'high' : undefined);

function reasoningPrompt(wanted: Effort, path: string, losses: LossLedger): JsonObject {
  if (wanted === 'none') {
    losses.note(path);
    return {};
  }
  losses.note(path, 'approximated', 'prompt_mode reasoning');
  return { prompt_mode: 'reasoning' };
}

const TIERS: Readonly<Partial<Record<ServiceTier, string>>> = {
  auto: 'auto',
  default: 'standard_only',
  priority: 'auto',
};

function serviceTier(call: ModelCall, losses: LossLedger): string | undefined {
  if (call.serviceTier === undefined) return undefined;
  const tier = TIERS[call.serviceTier];
  const path = pathOf(call, 'serviceTier');
  if (tier === undefined) losses.note(path);
  else if (call.serviceTier === 'priority') losses.note(path, 'approximated', tier);
  return tier;
}

export const MISTRAL_FORM: ChatForm = {
  dialect: 'mistral',
  isOpenAi: false,
  part: encodePart,
  reasoning,
  serviceTier,
};
