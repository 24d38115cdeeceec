import type { JsonObject } from '../call';
import { NO_TOKENS, type TokenUsage } from '../response';
import { readCount, readDetail } from '../values/counts';
import { asObject, isAbsent } from '../values/json';

/** Reads a provider's usage; undefined when it is absent or not a count. */
export function decodeUsage(value: unknown, searches = 0): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === null || (isAbsent(usage['input_tokens']) && isAbsent(usage['output_tokens'])))
    return undefined;
  const input = readCount(usage['input_tokens']);
  const output = readCount(usage['output_tokens']);
  if (input === null || output === null) return undefined;
  const inputs = asObject(usage['input_tokens_details']) ?? {};
  const outputs = asObject(usage['output_tokens_details']) ?? {};
  const cacheRead = readDetail(inputs['cached_tokens'], input);
  const reasoning = readDetail(outputs['reasoning_tokens']);
  // xAI counts reasoning in addition to the output, which its total shows.
  const isBeside = reasoning > 0 && usage['total_tokens'] === input + output + reasoning;
  const whole = isBeside ? output + reasoning : output;
  return {
    ...NO_TOKENS,
    input,
    output: whole,
    cacheRead,
    cacheWrite: readDetail(inputs['cache_write_tokens'], input - cacheRead),
    reasoning: Math.min(reasoning, whole),
    ...(searches === 0 ? {} : { searches }),
  };
}

export const encodeUsage = (usage: TokenUsage): JsonObject => ({
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: usage.input + usage.output,
});
