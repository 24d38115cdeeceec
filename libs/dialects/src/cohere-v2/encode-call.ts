import { pathOf, type JsonObject, type ModelCall } from '../call';
import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { asObject, compact } from '../values/json';
import { bounded, noteSummary, recordMissing, type MissingMembers } from '../values/missing-members';
import { encodeMessages } from './encode-messages';
import { encodeThinking } from './encode-thinking';
import { encodeTools } from './encode-tools';

const STOPS_MAX = 5;

const MISSING: MissingMembers = {
  dialect: 'cohere-v2',
  name: 'Cohere',
  parameters: ['n', 'minP', 'logitBias', 'verbosity', 'parallelTools'],
  hints: [
    'user',
    'metadata',
    'serviceTier',
    'store',
    'prediction',
    'include',
    'truncation',
    'cache',
    'audioOut',
  ],
  contracts: ['guardrail', 'output', 'modalities'],
};

/** Encodes a request of `/v2/chat`. */
export function encodeCall(call: ModelCall, target: Target, losses: LossLedger): ProviderCall {
  recordMissing(call, MISSING, losses);
  noteSummary(call, losses);
  const { messages, documents } = encodeMessages(call, losses);
  const tools = encodeTools(call, losses);
  const isPlain = documents.length === 0 && tools['tools'] === undefined;
  return {
    path: '/v2/chat',
    body: compact({
      model: target.model,
      messages,
      stream: call.stream ? true : undefined,
      ...tools,
      documents: documents.length === 0 ? undefined : documents,
      response_format: responseFormat(call, isPlain, losses),
      safety_mode: safetyMode(call, isPlain, losses),
      thinking: encodeThinking(call, target, losses),
      ...sampling(call, losses),
      ...call.x?.['cohere-v2'],
    }),
  };
}

function sampling(call: ModelCall, losses: LossLedger): JsonObject {
  return {
    max_tokens: call.maxTokens,
    stop_sequences: stopSequences(call, losses),
    temperature: bounded(call, 'temperature', [0, 1], losses),
    p: bounded(call, 'topP', [0.01, 0.99], losses),
    k: bounded(call, 'topK', [0, 500], losses),
    frequency_penalty: bounded(call, 'frequencyPenalty', [0, 1], losses),
    presence_penalty: bounded(call, 'presencePenalty', [0, 1], losses),
    seed: call.seed,
    logprobs: logprobs(call, losses),
  };
}

function stopSequences(call: ModelCall, losses: LossLedger): readonly string[] | undefined {
  const { stop = [] } = call;
  if (stop.length > STOPS_MAX) {
    losses.parameter(
      pathOf(call, 'stop'),
      `The provider takes at most ${String(STOPS_MAX)} stop sequences.`,
      'approximated',
      `the first ${String(STOPS_MAX)}`,
    );
  }
  return stop.length === 0 ? undefined : stop.slice(0, STOPS_MAX);
}

/** Returns whether to request log probabilities. Cohere returns those of the chosen tokens only. */
function logprobs(call: ModelCall, losses: LossLedger): boolean | undefined {
  if (call.logprobs === undefined) return undefined;
  if (call.logprobs.top > 0) {
    const path = call.paths.topLogprobs ?? pathOf(call, 'logprobs');
    losses.parameter(path, 'The provider returns no alternatives of a token.');
  }
  return true;
}

/**
 * Encodes the output format. `isPlain` tells whether the request has neither documents nor tools,
 * with which Cohere does not accept a format.
 */
function responseFormat(call: ModelCall, isPlain: boolean, losses: LossLedger): JsonObject | undefined {
  const { output } = call;
  if (output?.kind !== 'json' && output?.kind !== 'schema') return undefined;
  const path = pathOf(call, 'output');
  if (!isPlain) losses.refuse(path, 'The provider takes no output format together with tools or documents.');
  if (output.kind === 'json') return { type: 'json_object' };
  const { type, required } = output.schema;
  if (type !== 'object' || !Array.isArray(required) || required.length === 0) {
    losses.refuse(path, 'The schema must be of an object with at least one required property.');
  }
  return { type: 'json_object', json_schema: asObject(output.schema) };
}

/**
 * Encodes the safety mode. Cohere has one for all categories, and accepts it only without tools and
 * documents.
 */
function safetyMode(call: ModelCall, isPlain: boolean, losses: LossLedger): string | undefined {
  if (call.safety === undefined) return undefined;
  const isStrict = isPlain && call.safety.some(({ threshold }) => threshold === 'BLOCK_LOW_AND_ABOVE');
  const path = pathOf(call, 'safety');
  if (!isStrict) losses.note(path);
  else losses.note(path, 'approximated', 'safety_mode STRICT');
  return isStrict ? 'STRICT' : undefined;
}
