import { pathOf, type CallMember, type JsonObject, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { recordForeignMembers } from '../values/foreign-members';
import { DIALECT } from './own';

/** Smallest `max_output_tokens` that the API accepts. */
const OUTPUT_MIN = 16;

/** Records the members that this dialect does not have. */
export function recordLosses(call: ModelCall, losses: LossLedger): void {
  for (const [member, isNeutral] of PARAMETERS) {
    if (call[member] === undefined || isNeutral(call)) continue;
    losses.parameter(pathOf(call, member), `The Responses API has no ${pathOf(call, member)}.`);
  }
  for (const member of HINTS) if (call[member] !== undefined) losses.note(pathOf(call, member));
  recordContracts(call, losses);
  recordForeignMembers(call, DIALECT, losses);
}

/**
 * Members that change the response, each with a function that tells whether its value has no
 * effect.
 */
const PARAMETERS: readonly (readonly [CallMember, (call: ModelCall) => boolean])[] = [
  ['n', ({ n }) => n === 1],
  ['stop', ({ stop }) => stop?.length === 0],
  ['topK', () => false],
  ['minP', ({ minP }) => minP === 0],
  ['frequencyPenalty', ({ frequencyPenalty }) => frequencyPenalty === 0],
  ['presencePenalty', ({ presencePenalty }) => presencePenalty === 0],
  ['logitBias', ({ logitBias }) => Object.keys(logitBias ?? {}).length === 0],
];
const HINTS: readonly CallMember[] = ['seed', 'prediction', 'safety', 'guardrail'];

function recordContracts(call: ModelCall, losses: LossLedger): void {
  if (call.modalities?.some((modality) => modality !== 'text') === true) {
    losses.refuse(pathOf(call, 'modalities'), 'The Responses API returns text only.');
  }
  if (call.audioOut !== undefined && call.modalities?.includes('audio') !== true) {
    losses.note(pathOf(call, 'audioOut'));
  }
  if (call.output?.kind === 'grammar') {
    losses.refuse(pathOf(call, 'output'), 'The Responses API has no grammars of the output.');
  }
}

/** Encodes the limit of the output, sampling and log probabilities. */
export function sampling(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  return {
    max_output_tokens: maxTokens(call, target, losses),
    temperature: sampled('temperature', call, target, losses),
    top_p: sampled('topP', call, target, losses),
    top_logprobs: call.logprobs === undefined || call.logprobs.top === 0 ? undefined : call.logprobs.top,
  };
}

function maxTokens(call: ModelCall, target: Target, losses: LossLedger): number | undefined {
  const wanted = call.maxTokens;
  if (wanted === undefined) return undefined;
  const largest = target.capabilities.maxOutput ?? Infinity;
  const found = Math.min(Math.max(wanted, OUTPUT_MIN), largest);
  if (found === wanted) return wanted;
  const bound = found > wanted ? `at least ${String(OUTPUT_MIN)}` : `at most ${String(largest)}`;
  losses.parameter(
    pathOf(call, 'maxTokens'),
    `The model takes ${bound} output tokens.`,
    'approximated',
    String(found),
  );
  return found;
}

/**
 * Encodes temperature or top_p. Reasoning models accept them only with the effort `none`; otherwise
 * their default of 1 is left out, and other values are losses.
 */
function sampled(
  member: 'temperature' | 'topP',
  call: ModelCall,
  target: Target,
  losses: LossLedger,
): number | undefined {
  const value = call[member];
  const isTaken = !target.capabilities.isReasoning || call.reasoning?.effort === 'none';
  if (value === undefined || isTaken) return value;
  if (value !== 1) {
    const path = pathOf(call, member);
    losses.parameter(path, `The model takes no ${path} other than 1 while it reasons.`);
  }
  return undefined;
}
