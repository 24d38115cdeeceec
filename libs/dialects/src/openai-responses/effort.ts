import { pathOf, type Effort, type JsonObject, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';
import { effortOfBudget, nearestEffort } from '../values/effort';

/** Encodes `reasoning`; undefined when the call does not mention reasoning. */
export function encodeReasoning(call: ModelCall, target: Target, losses: LossLedger): JsonObject | undefined {
  const { reasoning } = call;
  if (reasoning === undefined) return undefined;
  const effort = encodeEffort(call, target, losses);
  const summary = reasoning.summary === 'off' ? undefined : reasoning.summary;
  if (effort === undefined && summary === undefined) return undefined;
  return { ...(effort === undefined ? {} : { effort }), ...(summary === undefined ? {} : { summary }) };
}

/**
 * Returns the effort that the provider is sent: one that the model has. Undefined lets the model
 * decide.
 */
export function sentEffort(call: ModelCall, { capabilities }: Target): Effort | undefined {
  const wanted = budgetEffort(call) ?? call.reasoning?.effort;
  return wanted === undefined ? undefined : nearestEffort(wanted, capabilities.efforts);
}

/** Budgets of Gemini have a separate table. */
const budgetEffort = ({ reasoning = {}, maxTokens, from }: ModelCall): Effort | undefined =>
  effortOfBudget(reasoning, from === 'gemini' ? undefined : maxTokens);

function encodeEffort(call: ModelCall, target: Target, losses: LossLedger): Effort | undefined {
  const sent = sentEffort(call, target);
  if (sent !== undefined && (budgetEffort(call) !== undefined || sent !== call.reasoning?.effort)) {
    losses.note(pathOf(call, 'reasoning'), 'approximated', `effort ${sent}`);
  }
  return sent;
}
