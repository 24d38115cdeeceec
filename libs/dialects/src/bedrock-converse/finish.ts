import type { JsonObject } from '../call';
import type { Finish } from '../response';
import { asObject, asString, optional } from '../values/json';

const REASONS: ReadonlyMap<string, Finish['reason']> = new Map<string, Finish['reason']>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
  ['malformed_model_output', 'error'],
  ['malformed_tool_use', 'error'],
]);

/**
 * Places of Claude's stop sequence in `additionalModelResponseFields`, of a response and of a
 * stream.
 */
export const STOP_SEQUENCE_PATHS = ['/stop_sequence', '/delta/stop_sequence'] as const;

/**
 * Reads why a response ended, from the body or from `messageStop`. Calls take precedence over any
 * other reason except truncation and a filter.
 */
export function decodeFinish(message: JsonObject, hasCalls: boolean): Finish {
  const raw = asString(message['stopReason']);
  const given = REASONS.get(raw ?? '') ?? 'stop';
  const reason = hasCalls && given !== 'length' && given !== 'content_filter' ? 'tool_calls' : given;
  const fields = asObject(message['additionalModelResponseFields']);
  const sequence =
    asString(fields?.['stop_sequence']) ?? asString(asObject(fields?.['delta'])?.['stop_sequence']);
  return {
    reason,
    ...optional('raw', raw ?? undefined),
    ...optional('stopSequence', sequence ?? undefined),
  };
}
