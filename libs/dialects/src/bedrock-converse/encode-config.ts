import { encodeSampling } from '../anthropic-messages/encode-sampling';
import { pathOf, type JsonObject, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { compact } from '../values/json';
import { isBlank } from './encode-parts';
import type { BedrockModel } from './models';

/** `inferenceConfig`, and the members of `additionalModelRequestFields`. */
export interface EncodedConfig {
  readonly inferenceConfig: JsonObject;
  readonly fields: JsonObject;
}

export interface ConfigFacts {
  readonly model: BedrockModel;
  readonly target: Target;
  readonly losses: LossLedger;
  /** Whether Claude has a budget of thinking tokens, which limits sampling. */
  readonly hasBudget: boolean;
  /** Maximum number of output tokens to send; undefined for the model's default. */
  readonly maxTokens: number | undefined;
}

export function encodeConfig(call: ModelCall, facts: ConfigFacts): EncodedConfig {
  const { temperature, top_p, top_k } =
    facts.model.family === 'claude' ? claudeSampling(call, facts) : sampling(call, facts);
  return {
    inferenceConfig: compact({
      maxTokens: facts.maxTokens,
      temperature,
      topP: top_p,
      stopSequences: stopSequences(call, facts),
    }),
    fields:
      top_k === undefined
        ? {}
        : facts.model.topK === 'top_k'
          ? { top_k }
          : { inferenceConfig: { topK: top_k } },
  };
}

/**
 * Encodes the sampling of Claude, without the rule that a model accepts only one of temperature and
 * top_p, because Bedrock checks that itself.
 */
function claudeSampling(call: ModelCall, { target, losses, hasBudget }: ConfigFacts): JsonObject {
  const { capabilities } = target;
  const both =
    capabilities.sampling === 'one' ? ({ ...capabilities, sampling: 'all' } as const) : capabilities;
  return encodeSampling(call, { ...target, capabilities: both }, losses, hasBudget);
}

function sampling(call: ModelCall, facts: ConfigFacts): JsonObject {
  const { topK } = call;
  if (topK !== undefined && facts.model.topK === null)
    facts.losses.parameter(pathOf(call, 'topK'), 'The model has no top_k.');
  return {
    temperature: bounded(call, 'temperature', facts),
    top_p: bounded(call, 'topP', facts),
    top_k: facts.model.topK === null ? undefined : topK,
  };
}

/**
 * Returns a temperature or top_p in the range 0 to 1 that Bedrock accepts; the nearest bound for
 * others.
 */
function bounded(
  call: ModelCall,
  member: 'temperature' | 'topP',
  { losses }: ConfigFacts,
): number | undefined {
  const value = call[member];
  if (value === undefined || (value >= 0 && value <= 1)) return value;
  const nearest = value < 0 ? 0 : 1;
  const path = pathOf(call, member);
  losses.parameter(path, `Bedrock takes a ${path} of 0 to 1.`, 'approximated', String(nearest));
  return nearest;
}

function stopSequences(call: ModelCall, { model, losses }: ConfigFacts): readonly string[] | undefined {
  const { stop = [] } = call;
  const taken = stop.filter(
    (sequence) => sequence !== '' && (model.family !== 'claude' || !isBlank(sequence)),
  );
  if (taken.length < stop.length)
    losses.parameter(pathOf(call, 'stop'), 'The model takes no empty or blank stop sequences.');
  return taken.length === 0 ? undefined : taken;
}
