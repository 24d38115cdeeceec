import type { JsonObject } from '../call';
import { NO_TOKENS, type TokenUsage } from '../response';
import { readCount, readDetail } from '../values/counts';
import { asObject, objectsOf } from '../values/json';

/**
 * Reads `usage`; undefined when its totals are no counts. Bedrock's `inputTokens` excludes cached
 * tokens, ours includes them.
 */
export function decodeUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === null || (usage['inputTokens'] === undefined && usage['outputTokens'] === undefined))
    return undefined;
  const uncached = readCount(usage['inputTokens']);
  const output = readCount(usage['outputTokens']);
  const cacheRead = readCount(usage['cacheReadInputTokens'] ?? usage['cacheReadInputTokenCount']);
  const cacheWrite = readCount(usage['cacheWriteInputTokens'] ?? usage['cacheWriteInputTokenCount']);
  if (uncached === null || output === null || cacheRead === null || cacheWrite === null) return undefined;
  return {
    ...NO_TOKENS,
    input: uncached + cacheRead + cacheWrite,
    output,
    cacheRead,
    cacheWrite,
    cacheWrite1h: readDetail(oneHour(usage), cacheWrite),
  };
}

/** Sums the written tokens with a lifetime of one hour. */
function oneHour(usage: JsonObject): number {
  let tokens = 0;
  for (const { ttl, inputTokens } of objectsOf(usage['cacheDetails'])) {
    if (ttl === '1h') tokens += readDetail(inputTokens);
  }
  return tokens;
}
