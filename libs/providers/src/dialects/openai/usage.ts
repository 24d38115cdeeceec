import { asObject, cachedTokens, readCount, readDetail } from '@gw/dialects';
import type { Usage } from '@gw/contracts';
import type { JsonObject } from '../../provider';

/**
 * Reads the usage of every OpenAI-shaped response: chat, completions, embeddings (`prompt_tokens`,
 * `completion_tokens`), responses, images and transcriptions (`input_tokens`, `output_tokens`), the
 * closing events of their streams (`response.usage`), and Groq's `x_groq.usage`.
 * Null when there is none, or when a total is not a count: such a request is flagged `no_usage` and
 * never free.
 */
export function openAiUsage(body: JsonObject): Usage | null {
  const found =
    asObject(body['usage']) ??
    asObject(asObject(body['response'])?.['usage']) ??
    asObject(asObject(body['x_groq'])?.['usage']);
  return found === null ? null : readOpenAiUsage(found);
}

/** Reads a `usage` object. */
export function readOpenAiUsage(usage: JsonObject): Usage | null {
  const reportedOutput = usage['completion_tokens'] ?? usage['output_tokens'] ?? null;
  const reportedInput = inputOf(usage, reportedOutput);
  if (reportedInput === null && reportedOutput === null) return null;
  const inputTokens = readCount(reportedInput);
  const completionTokens = readCount(reportedOutput);
  if (inputTokens === null || completionTokens === null) return null;

  const input = detailsOf(usage, ['prompt_tokens_details', 'input_tokens_details', 'input_token_details']);
  const output = detailsOf(usage, [
    'completion_tokens_details',
    'output_tokens_details',
    'output_token_details',
  ]);
  const reasoning = readDetail(output['reasoning_tokens'] ?? usage['reasoning_tokens'], Infinity);
  // Some providers (xAI) count reasoning in addition to the completion; their total reveals it.
  const apart = reasoning > 0 && usage['total_tokens'] === inputTokens + completionTokens + reasoning;
  const outputTokens = apart ? completionTokens + reasoning : completionTokens;
  const cacheReadTokens = readDetail(cachedTokens(usage, input), inputTokens);
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: readDetail(input['cache_write_tokens'], inputTokens - cacheReadTokens),
    reasoningTokens: Math.min(reasoning, outputTokens),
    inputAudioTokens: readDetail(input['audio_tokens'], inputTokens),
    outputAudioTokens: readDetail(output['audio_tokens'], outputTokens),
  };
}

/**
 * Returns the input tokens. For embeddings and ranked documents, which have no output, some
 * providers report only a total.
 */
const inputOf = (usage: JsonObject, output: unknown): unknown =>
  usage['prompt_tokens'] ??
  usage['input_tokens'] ??
  (output === null ? (usage['total_tokens'] ?? null) : null);

/**
 * Returns the details object, whose name differs between chat, responses, and realtime and
 * transcriptions.
 */
function detailsOf(usage: JsonObject, names: readonly string[]): JsonObject {
  for (const name of names) {
    const details = asObject(usage[name]);
    if (details !== null) return details;
  }
  return {};
}
