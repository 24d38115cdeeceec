import { pathOf, type Effort, type JsonObject, type ModelCall } from '../call';
import type { ProviderCall } from '../codec';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { effortOfBudget } from '../values/effort';
import { compact, optional } from '../values/json';
import { noteSummary, recordMissing, type MissingMembers } from '../values/missing-members';
import { encodeMessages } from './encode-messages';
import { encodeTools } from './encode-tools';

const MISSING: MissingMembers = {
  dialect: 'ollama',
  name: 'Ollama',
  parameters: ['n', 'logitBias', 'verbosity', 'parallelTools'],
  hints: [
    'user',
    'metadata',
    'serviceTier',
    'store',
    'prediction',
    'safety',
    'include',
    'truncation',
    'cache',
    'audioOut',
  ],
  contracts: ['guardrail', 'output', 'modalities'],
};

/** Encodes a request of `/api/chat`. The base URL of a target ends in `/api`. */
export function encodeCall(call: ModelCall, target: Target, losses: LossLedger): ProviderCall {
  recordMissing(call, MISSING, losses);
  noteSummary(call, losses);
  const options = encodeOptions(call);
  return {
    path: '/chat',
    body: compact({
      model: target.model,
      messages: encodeMessages(call, target, losses),
      // The API streams by default.
      stream: call.stream,
      tools: encodeTools(call, losses),
      format: format(call),
      think: think(call, losses),
      ...logprobs(call),
      ...call.x?.['ollama'],
      options: Object.keys(options).length === 0 ? undefined : options,
    }),
  };
}

const encodeOptions = (call: ModelCall): JsonObject => ({
  ...compact({
    temperature: call.temperature,
    num_predict: call.maxTokens,
    stop: call.stop,
    seed: call.seed,
    top_p: call.topP,
    top_k: call.topK,
    min_p: call.minP,
    frequency_penalty: call.frequencyPenalty,
    presence_penalty: call.presencePenalty,
  }),
});

function format({ output }: ModelCall): unknown {
  if (output?.kind === 'json') return 'json';
  return output?.kind === 'schema' ? output.schema : undefined;
}

function logprobs({ logprobs: wanted }: ModelCall): JsonObject {
  if (wanted === undefined) return {};
  return { logprobs: true, ...optional('top_logprobs', wanted.top > 0 ? wanted.top : undefined) };
}

const LEVELS: Readonly<Record<Effort, boolean | string>> = {
  none: false,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

function think(call: ModelCall, losses: LossLedger): boolean | string | undefined {
  const { reasoning, maxTokens } = call;
  if (reasoning === undefined) return undefined;
  const path = pathOf(call, 'reasoning');
  const byBudget = effortOfBudget(reasoning, maxTokens);
  const effort = byBudget ?? reasoning.effort;
  if (effort === undefined)
    return reasoning.adaptive === true || reasoning.budget !== undefined ? true : undefined;
  const level = LEVELS[effort];
  const isExact = byBudget === undefined ? effort === 'none' || level === effort : byBudget === 'none';
  if (!isExact) losses.note(path, 'approximated', `think ${String(level)}`);
  return level;
}
