import { readAnthropicUsage } from '../../dialects/anthropic/usage';
import type { JsonObject } from '../../provider';

const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/** Returns OpenAI's `finish_reason`; `stop`, which promises nothing, for an unknown reason. */
export const finishReason = (stopReason: unknown): string =>
  typeof stopReason === 'string' && Object.hasOwn(FINISH_REASONS, stopReason)
    ? (FINISH_REASONS[stopReason] ?? 'stop')
    : 'stop';

/**
 * Returns OpenAI's `usage` for Anthropic's; prompt tokens include cached ones. Undefined when the
 * provider gave no usage.
 */
export function chatUsage(raw: JsonObject): JsonObject | undefined {
  const usage = readAnthropicUsage(raw);
  if (usage === null) return undefined;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
