import type { JsonObject } from '../call';
import { NO_TOKENS, type TokenUsage } from '../response';
import { readCount, readDetail } from '../values/counts';
import { asObject, isAbsent } from '../values/json';

/**
 * Reads a `usage` object, in the spellings of all compatible providers. Undefined when it has no
 * totals, or they are not counts.
 */
export function readUsage(value: unknown): TokenUsage | undefined {
  const usage = asObject(value);
  if (usage === null || (isAbsent(usage['prompt_tokens']) && isAbsent(usage['completion_tokens'])))
    return undefined;
  const input = readCount(usage['prompt_tokens']);
  const completion = readCount(usage['completion_tokens']);
  if (input === null || completion === null) return undefined;
  const prompt = asObject(usage['prompt_tokens_details']) ?? {};
  const details = asObject(usage['completion_tokens_details']) ?? {};
  const reasoning = readDetail(details['reasoning_tokens'] ?? usage['reasoning_tokens']);
  // xAI counts reasoning in addition to the completion, which its total shows.
  const isApart = reasoning > 0 && usage['total_tokens'] === input + completion + reasoning;
  const output = isApart ? completion + reasoning : completion;
  const cacheRead = readDetail(cachedTokens(usage, prompt), input);
  return {
    ...NO_TOKENS,
    input,
    output,
    cacheRead,
    cacheWrite: readDetail(prompt['cache_write_tokens'], input - cacheRead),
    reasoning: Math.min(reasoning, output),
    inputAudio: readDetail(prompt['audio_tokens'], input),
    outputAudio: readDetail(details['audio_tokens'], output),
    inputImage: readDetail(prompt['image_tokens'], input),
    outputImage: readDetail(details['image_tokens'], output),
    acceptedPrediction: readDetail(details['accepted_prediction_tokens']),
    rejectedPrediction: readDetail(details['rejected_prediction_tokens']),
  };
}

/**
 * Returns the cached tokens of a `usage`, which some providers put next to the totals instead of in
 * the details.
 */
export const cachedTokens = (usage: JsonObject, prompt: JsonObject): unknown =>
  prompt['cached_tokens'] ??
  usage['prompt_cache_hit_tokens'] ??
  usage['cached_tokens'] ??
  usage['num_cached_tokens'] ??
  asObject(usage['prompt_token_details'])?.['cached_tokens'];

/** Returns the usage of a response or chunk, wherever compatible providers put it. */
export const usageIn = (body: JsonObject): TokenUsage | undefined =>
  readUsage(body['usage']) ?? readUsage(asObject(body['x_groq'])?.['usage']);

export const writeUsage = (usage: TokenUsage): JsonObject => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: {
    cached_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    ...(usage.inputAudio > 0 ? { audio_tokens: usage.inputAudio } : {}),
  },
  completion_tokens_details: {
    reasoning_tokens: usage.reasoning,
    ...(usage.outputAudio > 0 ? { audio_tokens: usage.outputAudio } : {}),
    ...(usage.acceptedPrediction > 0 ? { accepted_prediction_tokens: usage.acceptedPrediction } : {}),
    ...(usage.rejectedPrediction > 0 ? { rejected_prediction_tokens: usage.rejectedPrediction } : {}),
  },
});
