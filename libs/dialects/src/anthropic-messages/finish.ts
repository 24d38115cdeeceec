import type { Finish } from '../response';
import type { JsonObject } from '../call';
import { asObject, asString, optional } from '../values/json';

const REASONS: ReadonlyMap<string, Finish['reason']> = new Map<string, Finish['reason']>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
  ['pause_turn', 'pause'],
]);

/**
 * Reads why a message ended, from the message or from the delta of `message_delta`. Tool calls take
 * precedence over any other reason except truncation.
 */
export function decodeFinish(message: JsonObject, hasCalls: boolean): Finish {
  const raw = asString(message['stop_reason']);
  const given = REASONS.get(raw ?? '') ?? 'stop';
  const reason = hasCalls && given !== 'length' && given !== 'content_filter' ? 'tool_calls' : given;
  const explanation = asString(asObject(message['stop_details'])?.['explanation']);
  return {
    reason,
    ...optional('raw', raw ?? undefined),
    ...optional('stopSequence', asString(message['stop_sequence']) ?? undefined),
    ...optional('detail', explanation ?? undefined),
  };
}

/** Returns the finish without the call of the output tool, which the client does not know. */
export const withoutToolUse = (finish: Finish): Finish =>
  finish.reason === 'tool_calls' ? { ...finish, reason: 'stop' } : finish;

export interface Stop {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details: JsonObject | null;
}

/**
 * Writes why a response ended. `refused`: the response has a refusal; `hasCalls`: it has tool
 * calls.
 */
export function encodeFinish(finish: Finish, facts: { refused: boolean; hasCalls: boolean }): Stop {
  const reason = stopReason(finish, facts);
  return {
    stop_reason: reason,
    stop_sequence: finish.stopSequence ?? null,
    stop_details:
      reason === 'refusal' ? { type: 'refusal', category: null, explanation: finish.detail ?? null } : null,
  };
}

function stopReason(finish: Finish, { refused, hasCalls }: { refused: boolean; hasCalls: boolean }): string {
  const { reason, raw } = finish;
  if (refused) return 'refusal';
  if (hasCalls && reason !== 'length' && reason !== 'content_filter') return 'tool_use';
  if (raw !== undefined && REASONS.get(raw) === reason) return raw;
  if (reason === 'stop' && finish.stopSequence !== undefined) return 'stop_sequence';
  return STOP_REASONS[reason];
}

const STOP_REASONS: Readonly<Record<Finish['reason'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  pause: 'pause_turn',
  error: 'end_turn',
};
