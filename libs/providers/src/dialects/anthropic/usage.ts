import { readCount, readDetail, asObject } from '@gw/dialects';
import type { Usage } from '@gw/contracts';
import type { JsonObject } from '../../provider';

/** Reads the usage of a message, a batch result or a token count; null when the body has none. */
export function anthropicUsage(body: JsonObject): Usage | null {
  const usage = asObject(body['usage']);
  return usage === null ? null : readAnthropicUsage(usage);
}

/**
 * Reads a `usage` object; null when it has no counts. Anthropic's `input_tokens` excludes cached
 * tokens; ours includes them.
 */
export function readAnthropicUsage(usage: JsonObject): Usage | null {
  if (typeof usage['input_tokens'] !== 'number' && typeof usage['output_tokens'] !== 'number') return null;
  const uncached = readCount(usage['input_tokens']);
  const cacheReadTokens = readCount(usage['cache_read_input_tokens']);
  const cacheWriteTokens = readCount(usage['cache_creation_input_tokens']);
  const outputTokens = readCount(usage['output_tokens']);
  if (uncached === null || cacheReadTokens === null) return null;
  if (cacheWriteTokens === null || outputTokens === null) return null;

  const oneHourTokens = asObject(usage['cache_creation'])?.['ephemeral_1h_input_tokens'];
  const cacheWrite1hTokens = readDetail(oneHourTokens, cacheWriteTokens);
  const details = asObject(usage['output_tokens_details']);
  return {
    inputTokens: uncached + cacheReadTokens + cacheWriteTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    ...(cacheWrite1hTokens > 0 ? { cacheWrite1hTokens } : {}),
    reasoningTokens: readDetail(details?.['thinking_tokens'], outputTokens),
    inputAudioTokens: 0,
    outputAudioTokens: 0,
  };
}
