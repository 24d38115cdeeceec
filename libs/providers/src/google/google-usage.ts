import { readCount, readDetail, asObject } from '@gw/dialects';
import type { Usage } from '@gw/contracts';
import { openAiUsage } from '../dialects/openai/usage';
import type { JsonObject } from '../provider';

/** Reads the usage of the compatible routes, or the `usageMetadata` of the native ones. */
export function googleUsage(body: JsonObject): Usage | null {
  const metadata = asObject(body['usageMetadata']);
  return metadata === null ? openAiUsage(body) : readUsageMetadata(metadata);
}

function readUsageMetadata(metadata: JsonObject): Usage | null {
  const prompt = readCount(metadata['promptTokenCount']);
  const toolPrompt = readCount(metadata['toolUsePromptTokenCount']);
  const candidates = readCount(metadata['candidatesTokenCount']);
  const thoughts = readCount(metadata['thoughtsTokenCount']);
  if (prompt === null || toolPrompt === null || candidates === null || thoughts === null) return null;
  if (metadata['promptTokenCount'] === undefined && metadata['candidatesTokenCount'] === undefined)
    return null;
  // Gemini counts tool prompts and thoughts in addition to the totals.
  const inputTokens = prompt + toolPrompt;
  const outputTokens = candidates + thoughts;
  return {
    inputTokens,
    outputTokens,
    cacheReadTokens: readDetail(metadata['cachedContentTokenCount'], inputTokens),
    cacheWriteTokens: 0,
    reasoningTokens: thoughts,
    inputAudioTokens: audioTokens(metadata['promptTokensDetails'], inputTokens),
    outputAudioTokens: audioTokens(metadata['candidatesTokensDetails'], outputTokens),
  };
}

/** Reads audio tokens from `[{ modality: "AUDIO", tokenCount }]`. */
function audioTokens(details: unknown, total: number): number {
  if (!Array.isArray(details)) return 0;
  const audio = details.map(asObject).find((detail) => detail?.['modality'] === 'AUDIO');
  return readDetail(audio?.['tokenCount'], total);
}
