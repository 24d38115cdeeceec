import type { JsonObject, ModelCall } from '../call';
import { pathOf } from '../call';
import type { LossLedger } from '../losses';
import { openApiSchema } from '../schema/gemini-schema';
import type { Target } from '../target';
import { compact } from '../values/json';
import { thinkingConfig } from './encode-reasoning';

const STOPS_MAX = 5;
const CANDIDATES_MAX = 8;
const TEMPERATURE_MAX = 2;
const LOGPROBS_MAX = 20;

/** Encodes `generationConfig`. */
export function generationConfig(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  refuseWithoutPlace(call, losses);
  return compact({
    candidateCount: bounded(call, 'n', 1, CANDIDATES_MAX, losses),
    maxOutputTokens: bounded(call, 'maxTokens', 0, target.capabilities.maxOutput ?? Infinity, losses),
    temperature: bounded(call, 'temperature', 0, TEMPERATURE_MAX, losses),
    topP: bounded(call, 'topP', 0, 1, losses),
    topK: call.topK,
    frequencyPenalty: call.frequencyPenalty,
    presencePenalty: call.presencePenalty,
    seed: seedOf(call, losses),
    stopSequences: stopOf(call, losses),
    ...logprobsOf(call, losses),
    ...outputOf(call, target, losses),
    ...modalitiesOf(call, losses),
    thinkingConfig: thinkingConfig(call, target, losses),
  });
}

/** Refuses members that change the response and that Gemini does not have. */
function refuseWithoutPlace(call: ModelCall, losses: LossLedger): void {
  if (call.logitBias !== undefined && Object.keys(call.logitBias).length > 0) {
    losses.parameter(pathOf(call, 'logitBias'), 'Gemini has no logit bias.');
  }
  if (call.minP !== undefined && call.minP !== 0)
    losses.parameter(pathOf(call, 'minP'), 'Gemini has no min_p.');
  if (call.verbosity !== undefined && call.verbosity !== 'medium') {
    losses.parameter(pathOf(call, 'verbosity'), 'Gemini has no verbosity.');
  }
}

/** Returns a number if it is in range; otherwise records the loss. */
function bounded(
  call: ModelCall,
  member: 'n' | 'maxTokens' | 'temperature' | 'topP',
  least: number,
  most: number,
  losses: LossLedger,
): number | undefined {
  const value = call[member];
  if (value === undefined || (value >= least && value <= most)) return value;
  const nearest = Math.min(Math.max(value, least), most);
  const path = pathOf(call, member);
  losses.parameter(
    path,
    `${path} must be from ${String(least)} to ${String(most)}.`,
    'approximated',
    String(nearest),
  );
  return nearest;
}

/** Returns the seed; a seed of more than 32 bits is dropped as a hint. */
function seedOf(call: ModelCall, losses: LossLedger): number | undefined {
  const { seed } = call;
  if (seed === undefined || (seed | 0) === seed) return seed;
  losses.note(pathOf(call, 'seed'));
  return undefined;
}

function stopOf(call: ModelCall, losses: LossLedger): readonly string[] | undefined {
  const { stop = [] } = call;
  if (stop.length === 0) return undefined;
  if (stop.length <= STOPS_MAX) return stop;
  losses.parameter(
    pathOf(call, 'stop'),
    `Gemini takes at most ${String(STOPS_MAX)} stop sequences.`,
    'approximated',
  );
  return stop.slice(0, STOPS_MAX);
}

function logprobsOf(call: ModelCall, losses: LossLedger): JsonObject {
  if (call.logprobs === undefined) return {};
  const { top } = call.logprobs;
  if (top > LOGPROBS_MAX) {
    losses.parameter(
      pathOf(call, 'logprobs'),
      `Gemini returns at most ${String(LOGPROBS_MAX)} alternatives.`,
      'approximated',
    );
  }
  return { responseLogprobs: true, ...(top > 0 ? { logprobs: Math.min(top, LOGPROBS_MAX) } : {}) };
}

const JSON_TYPE = 'application/json';

/** Returns the path of the output schema in the client's dialect. */
function schemaPath(call: ModelCall): string {
  const path = pathOf(call, 'output');
  if (call.from === 'gemini') return path;
  return call.from === 'openai-chat' ? `${path}.json_schema.schema` : `${path}.schema`;
}

function outputOf(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  const { output } = call;
  if (output === undefined) return {};
  const own = output.x?.gemini;
  switch (output.kind) {
    case 'text':
      return own ?? {};
    case 'json':
      return { responseMimeType: JSON_TYPE };
    case 'grammar':
      if (own !== undefined) return own;
      losses.refuse(
        pathOf(call, 'output'),
        'Gemini cannot restrict its output to a grammar; use a JSON schema.',
      );
      return {};
    case 'schema': {
      if (own !== undefined) return { responseMimeType: JSON_TYPE, ...own };
      if (target.capabilities.jsonSchema)
        return { responseMimeType: JSON_TYPE, responseJsonSchema: output.schema };
      const path = schemaPath(call);
      const { schema, relaxed } = openApiSchema(output.schema, path);
      if (relaxed) losses.note(path, 'relaxed');
      return { responseMimeType: JSON_TYPE, responseSchema: schema };
    }
  }
}

/** Encodes the output modalities. Speech has another form in each dialect. */
function modalitiesOf(call: ModelCall, losses: LossLedger): JsonObject {
  const { from, modalities = [], audioOut } = call;
  if (from !== 'gemini') return foreignModalities(call, losses);
  const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: audioOut?.voice } } };
  return {
    ...(call.modalities === undefined ? {} : { responseModalities: namesOf(modalities) }),
    ...(audioOut === undefined ? {} : { speechConfig }),
  };
}

function foreignModalities(call: ModelCall, losses: LossLedger): JsonObject {
  const { modalities = [], audioOut } = call;
  if (modalities.includes('audio'))
    losses.refuse(pathOf(call, 'modalities'), 'Spoken responses of Gemini have no form in your dialect.');
  else if (audioOut !== undefined) losses.note(pathOf(call, 'audioOut'));
  const isText = modalities.every((name) => name === 'text');
  return isText ? {} : { responseModalities: namesOf(modalities) };
}

const namesOf = (modalities: NonNullable<ModelCall['modalities']>): string[] =>
  modalities.map((name) => name.toUpperCase());
