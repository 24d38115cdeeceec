import { NO_TOKENS, type TokenUsage } from '../response';
import { readCount, readDetail } from '../values/counts';
import { asObject, isAbsent, optional } from '../values/json';

/**
 * Reads `usage`. `tokens` counts the model's input and output; if absent, `billed_units` is used,
 * which excludes Cohere's own prompt. Undefined when neither has counts.
 */
export function readUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === null) return undefined;
  const billed = asObject(usage['billed_units']);
  const tokens = asObject(usage['tokens']) ?? billed ?? {};
  if (isAbsent(tokens['input_tokens']) && isAbsent(tokens['output_tokens'])) return undefined;
  const input = readCount(tokens['input_tokens']);
  const output = readCount(tokens['output_tokens']);
  if (input === null || output === null) return undefined;
  const searches = readDetail(billed?.['search_units']);
  return {
    ...NO_TOKENS,
    input,
    output,
    cacheRead: readDetail(usage['cached_tokens'], input),
    ...optional('searches', searches > 0 ? searches : undefined),
  };
}
