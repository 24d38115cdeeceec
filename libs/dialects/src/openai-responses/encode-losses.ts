import { pathOf, type CallMember, type JsonObject, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { reasonsForSure } from '../values/effort';
import { recordForeignMembers } from '../values/foreign-members';
import { sentEffort } from './effort';
import { isOwnCall } from './encode-content';
import { DIALECT } from './own';

/** Smallest `max_output_tokens` that the API accepts. */
const OUTPUT_MIN = 16;

/** Records the members that this dialect or the model does not have. */
export function recordLosses(call: ModelCall, target: Target, losses: LossLedger): void {
  for (const [member, isNeutral] of PARAMETERS) {
    if (call[member] === undefined || isNeutral(call)) continue;
    losses.parameter(pathOf(call, member), `The Responses API has no ${pathOf(call, member)}.`);
  }
  for (const member of HINTS) if (call[member] !== undefined) losses.note(pathOf(call, member));
  if (call.logprobs !== undefined && !returnsLogprobs(call, target))
    losses.parameter(pathOf(call, 'logprobs'), 'The model returns no log probabilities while it reasons.');
  recordOutput(call, losses);
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

/** Whether the call requests log probabilities and the model can return them. */
export const returnsLogprobs = (call: ModelCall, target: Target): boolean =>
  call.logprobs !== undefined &&
  (isOwnCall(call) || !reasonsForSure(target.capabilities, sentEffort(call, target)));

/** Records forms of the output that this dialect does not have. */
function recordOutput(call: ModelCall, losses: LossLedger): void {
  if (call.modalities?.some((modality) => modality !== 'text') === true) {
    losses.refuse(pathOf(call, 'modalities'), 'The Responses API returns text only; request text.');
  }
  if (call.audioOut !== undefined && call.modalities?.includes('audio') !== true) {
    losses.note(pathOf(call, 'audioOut'));
  }
  if (call.output?.kind === 'grammar') {
    losses.refuse(
      pathOf(call, 'output'),
      'The Responses API cannot restrict its output to a grammar; use a JSON schema.',
    );
  }
}

/** Encodes the limit of the output, sampling and log probabilities. */
export function sampling(call: ModelCall, target: Target, losses: LossLedger): JsonObject {
  return {
    max_output_tokens: maxTokens(call, target, losses),
    temperature: sampled('temperature', call, target, losses),
    top_p: sampled('topP', call, target, losses),
    top_logprobs: (returnsLogprobs(call, target) && call.logprobs?.top) || undefined,
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
 * Encodes temperature or top_p. Reasoning models accept them only when the effort `none` is sent;
 * otherwise their default of 1 is left out, and other values are losses.
 */
function sampled(
  member: 'temperature' | 'topP',
  call: ModelCall,
  target: Target,
  losses: LossLedger,
): number | undefined {
  const value = call[member];
  const isAccepted = !target.capabilities.isReasoning || sentEffort(call, target) === 'none';
  if (value === undefined || isAccepted) return value;
  if (value !== 1) {
    const path = pathOf(call, member);
    losses.parameter(path, `The model takes no ${path} other than 1 while it reasons.`);
  }
  return undefined;
}
