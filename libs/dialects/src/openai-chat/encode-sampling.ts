import { pathOf, type CallMember, type Effort, type JsonObject, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { effortOfBudget, nearestEffort, reasonsForSure } from '../values/effort';
import { compact } from '../values/json';

/** Providers of OpenAI's own models, which accept only OpenAI's members. */
export const OPENAI_ITSELF: ReadonlySet<string> = new Set(['openai', 'azure-openai']);

/**
 * Encodes sampling and log probabilities. Members that the model does not accept are losses, unless
 * the client uses the dialect of the provider (`isNative`).
 */
export function encodeSampling(
  call: ModelCall,
  target: Target,
  losses: LossLedger,
  isNative: boolean,
): JsonObject {
  const members: JsonObject = {};
  const put = (name: string, member: CallMember, value: number | undefined, neutral?: number): void => {
    if (value === undefined) return;
    if (!isNative && isRefused(name, call, target)) {
      if (value !== neutral)
        losses.parameter(pathOf(call, member), `The model does not take ${pathOf(call, member)}.`);
    } else members[name] = value;
  };
  put('n', 'n', call.n === 1 ? undefined : call.n);
  put('temperature', 'temperature', call.temperature, 1);
  put('top_p', 'topP', call.topP, 1);
  put('top_k', 'topK', call.topK);
  put('min_p', 'minP', call.minP, 0);
  put('frequency_penalty', 'frequencyPenalty', call.frequencyPenalty, 0);
  put('presence_penalty', 'presencePenalty', call.presencePenalty, 0);
  put('seed', 'seed', call.seed);
  return { ...members, ...probabilities(call, target, losses, isNative) };
}

function isRefused(name: string, call: ModelCall, { provider, capabilities }: Target): boolean {
  if (name === 'top_k' || name === 'min_p') return OPENAI_ITSELF.has(provider);
  if (name === 'n' || name === 'seed') return false;
  if (capabilities.sampling !== 'none' || !capabilities.isReasoning) return false;
  const isPenalty = name !== 'temperature' && name !== 'top_p';
  return isPenalty || sentEffort(call, { capabilities }) !== 'none';
}

function probabilities(call: ModelCall, target: Target, losses: LossLedger, isNative: boolean): JsonObject {
  const { logprobs, logitBias } = call;
  if (isNative || !reasonsForSure(target.capabilities, sentEffort(call, target)))
    return compact({
      logprobs: logprobs === undefined ? undefined : true,
      top_logprobs: logprobs?.top || undefined,
      logit_bias: logitBias,
    });
  const refuse = (member: CallMember): void => {
    const path = pathOf(call, member);
    losses.parameter(path, `The model does not take ${path} while it reasons.`);
  };
  if (logprobs !== undefined) refuse('logprobs');
  if (Object.keys(logitBias ?? {}).length > 0) refuse('logitBias');
  return {};
}

/** Returns the effort that the provider is sent; undefined lets the model decide. */
export function sentEffort(
  { reasoning = {}, maxTokens }: ModelCall,
  { capabilities }: Pick<Target, 'capabilities'>,
): Effort | undefined {
  const wanted = reasoning.effort ?? effortOfBudget(reasoning, maxTokens);
  return wanted === undefined ? undefined : nearestEffort(wanted, capabilities.efforts);
}
