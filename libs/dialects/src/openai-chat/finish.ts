import type { Finish } from '../response';

const REASONS: Readonly<Record<string, Finish['reason']>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  content_filter: 'content_filter',
  error: 'error',
  insufficient_system_resource: 'error',
};

/** Reads `finish_reason`. Calls in the response take precedence over `stop`. */
export function readFinish(value: unknown, hasCalls: boolean): Finish {
  const raw = typeof value === 'string' && value !== '' ? value : 'stop';
  const reason = Object.hasOwn(REASONS, raw) ? (REASONS[raw] ?? 'stop') : 'stop';
  return {
    reason: hasCalls && reason !== 'length' && reason !== 'content_filter' ? 'tool_calls' : reason,
    raw,
  };
}

const WRITTEN: Readonly<Record<Finish['reason'], string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  pause: 'stop',
  error: 'stop',
};

/** Returns `finish_reason`, which has a fixed set of values. */
export const writeFinish = ({ reason }: Finish): string => WRITTEN[reason];

/** Returns the provider's own reason if this dialect has no equivalent; otherwise undefined. */
export const nativeFinish = ({ reason, raw }: Finish): string | undefined =>
  reason === 'pause' || reason === 'error' ? raw : undefined;

/** Returns the explanation of a refusal; undefined when the response ended for another reason. */
export const refusalOf = ({ reason, detail }: Finish): string | undefined =>
  reason === 'content_filter' ? detail : undefined;
