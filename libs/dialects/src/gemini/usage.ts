import type { JsonObject } from '../call';
import { NO_TOKENS, type TokenUsage } from '../response';
import { readCount, readDetail } from '../values/counts';
import { asObject, isAbsent, objectsOf, optional } from '../values/json';

/**
 * Reads `usageMetadata`; undefined when it has no counts. Google's totals exclude tool prompts and
 * thoughts.
 */
export function usageOf(value: unknown, grounding: unknown = undefined): TokenUsage | undefined {
  const metadata = asObject(value);
  if (metadata === null) return undefined;
  if (isAbsent(metadata['promptTokenCount']) && isAbsent(metadata['candidatesTokenCount'])) return undefined;
  const [prompt, toolPrompt, candidates, thoughts] = [
    'promptTokenCount',
    'toolUsePromptTokenCount',
    'candidatesTokenCount',
    'thoughtsTokenCount',
  ].map((name) => readCount(metadata[name]));
  if (isAbsent(prompt) || isAbsent(toolPrompt) || isAbsent(candidates) || isAbsent(thoughts))
    return undefined;
  const input = prompt + toolPrompt;
  const output = candidates + thoughts;
  const searches = searchesOf(grounding);
  return {
    ...NO_TOKENS,
    input,
    output,
    reasoning: thoughts,
    cacheRead: readDetail(metadata['cachedContentTokenCount'], input),
    inputAudio: modality(metadata['promptTokensDetails'], 'AUDIO', input),
    inputImage: modality(metadata['promptTokensDetails'], 'IMAGE', input),
    outputAudio: modality(metadata['candidatesTokensDetails'], 'AUDIO', output),
    outputImage: modality(metadata['candidatesTokensDetails'], 'IMAGE', output),
    ...optional('searches', searches === 0 ? undefined : searches),
  };
}

const modality = (details: unknown, name: string, total: number): number =>
  readDetail(objectsOf(details).find((detail) => detail['modality'] === name)?.['tokenCount'], total);

function searchesOf(grounding: unknown): number {
  const queries = asObject(grounding)?.['webSearchQueries'];
  return Array.isArray(queries) ? queries.length : 0;
}

/** Writes `usageMetadata` for a Gemini client. */
export function usageMetadata(usage: TokenUsage): JsonObject {
  const { input, output, cacheRead, inputAudio, inputImage, outputAudio, outputImage } = usage;
  const reasoning = Math.min(usage.reasoning, output);
  return {
    promptTokenCount: input,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: input + output,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    ...(cacheRead > 0 ? { cachedContentTokenCount: cacheRead } : {}),
    ...details('promptTokensDetails', inputAudio, inputImage),
    ...details('candidatesTokensDetails', outputAudio, outputImage),
  };
}

/**
 * Returns counts by modality if there are modalities other than text; otherwise the totals are
 * sufficient.
 */
function details(name: string, audio: number, image: number): JsonObject {
  const counts = [
    ...(audio > 0 ? [{ modality: 'AUDIO', tokenCount: audio }] : []),
    ...(image > 0 ? [{ modality: 'IMAGE', tokenCount: image }] : []),
  ];
  return counts.length === 0 ? {} : { [name]: counts };
}

const TIERS: Readonly<Record<string, string>> = {
  ON_DEMAND: 'default',
  ON_DEMAND_PRIORITY: 'priority',
  ON_DEMAND_FLEX: 'flex',
};

/** Returns the service tier that `trafficType` names; undefined when it is absent or unknown. */
export function serviceTierOf(metadata: unknown): string | undefined {
  const type = asObject(metadata)?.['trafficType'];
  return typeof type === 'string' && Object.hasOwn(TIERS, type) ? TIERS[type] : undefined;
}
