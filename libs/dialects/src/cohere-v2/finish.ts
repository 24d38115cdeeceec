import type { ModelCall } from '../call';
import type { Finish } from '../response';
import { asString } from '../values/json';

const REASONS: ReadonlyMap<string, Finish['reason']> = new Map<string, Finish['reason']>([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool_calls'],
  ['ERROR', 'error'],
  ['TIMEOUT', 'error'],
]);

/**
 * Reads `finish_reason`. Calls in the response take precedence over any reason except the token
 * limit.
 */
export function readFinish(value: unknown, hasCalls: boolean, { stop = [] }: ModelCall): Finish {
  const raw = asString(value) ?? 'COMPLETE';
  const reason = REASONS.get(raw) ?? 'stop';
  if (hasCalls && reason !== 'length') return { reason: 'tool_calls', raw };
  // Cohere does not return the stop sequence.
  const [only] = stop;
  const isKnown = raw === 'STOP_SEQUENCE' && stop.length === 1 && only !== undefined;
  return { reason, raw, ...(isKnown ? { stopSequence: only } : {}) };
}
