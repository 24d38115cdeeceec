import type { CallMember, ModelCall } from '../call';
import { pathOf } from '../call';
import type { LossLedger } from '../losses';
import { recordForeignMembers } from '../values/foreign-members';

/** Hints that Gemini does not have. */
const HINTS: readonly CallMember[] = ['user', 'prediction', 'guardrail', 'include'];

/**
 * Records members that Gemini's requests do not have: hints are dropped, states and contracts are
 * refused.
 */
export function recordLosses(call: ModelCall, losses: LossLedger): void {
  for (const member of HINTS) if (call[member] !== undefined) losses.note(pathOf(call, member));
  if (call.store === true) losses.note(pathOf(call, 'store'));
  if (call.truncation === 'auto') losses.note(pathOf(call, 'truncation'));
  recordCache(call, losses);
  const { summary } = call.reasoning ?? {};
  if (summary === 'concise' || summary === 'detailed') {
    losses.note(pathOf(call, 'reasoningSummary'), 'approximated', 'includeThoughts');
  }
  refuseState(call, losses);
  recordForeignMembers(call, 'gemini', losses);
}

/**
 * Records cache marks as losses. Google caches automatically, and requests can only name its cache
 * resources.
 */
function recordCache(call: ModelCall, losses: LossLedger): void {
  const { key, auto, ttl } = call.cache ?? {};
  if (key !== undefined || auto === true || ttl !== undefined) losses.note(pathOf(call, 'cache'));
}

function refuseState(call: ModelCall, losses: LossLedger): void {
  if (call.background === true) {
    losses.refuse(pathOf(call, 'background'), 'Gemini has no responses in the background.');
  }
  if (call.previous !== undefined) {
    losses.refuse(pathOf(call, 'previous'), 'Gemini keeps no responses; send the whole conversation.');
  }
}
