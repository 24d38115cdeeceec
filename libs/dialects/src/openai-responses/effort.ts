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

function encodeEffort(call: ModelCall, target: Target, losses: LossLedger): Effort | undefined {
  const { reasoning = {}, maxTokens, from } = call;
  // Budgets of Gemini have a separate table.
  const ofBudget = effortOfBudget(reasoning, from === 'gemini' ? undefined : maxTokens);
  const wanted = ofBudget ?? reasoning.effort;
  if (wanted === undefined) return undefined;
  const found = nearestEffort(wanted, target.capabilities.efforts);
  if (ofBudget !== undefined || found !== wanted) {
    losses.note(pathOf(call, 'reasoning'), 'approximated', `effort ${String(found)}`);
  }
  return found;
}
