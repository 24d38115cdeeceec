import type { JsonObject } from '../call';
import { NO_TOKENS, type TokenUsage } from '../response';
import { readCount, readDetail } from '../values/counts';
import { asObject, asString } from '../values/json';

/**
 * Reads a `usage` object; undefined when it has no counts. Anthropic's `input_tokens` excludes
 * cached tokens; `TokenUsage.input` includes them.
 */
export function decodeUsage(usage: JsonObject): TokenUsage | undefined {
  if (typeof usage['input_tokens'] !== 'number' && typeof usage['output_tokens'] !== 'number')
    return undefined;
  const uncached = readCount(usage['input_tokens']);
  const cacheRead = readCount(usage['cache_read_input_tokens']);
  const cacheWrite = readCount(usage['cache_creation_input_tokens']);
  const output = readCount(usage['output_tokens']);
  if (uncached === null || cacheRead === null || cacheWrite === null || output === null) return undefined;
  const oneHour = asObject(usage['cache_creation'])?.['ephemeral_1h_input_tokens'];
  const thinking = asObject(usage['output_tokens_details'])?.['thinking_tokens'];
  const searches = readDetail(asObject(usage['server_tool_use'])?.['web_search_requests']);
  return {
    ...NO_TOKENS,
    input: uncached + cacheRead + cacheWrite,
    output,
    cacheRead,
    cacheWrite,
    cacheWrite1h: readDetail(oneHour, cacheWrite),
    reasoning: readDetail(thinking, output),
    ...(searches > 0 ? { searches } : {}),
  };
}

/**
 * Merges a later usage of a stream into the earlier one, whose counts it repeats. Counts of the
 * input that are null, or 0 although they were counted before, are not reported and stay.
 */
export function mergedUsage(before: JsonObject, usage: unknown): JsonObject {
  const merged = { ...before };
  for (const [name, value] of Object.entries(asObject(usage) ?? {})) {
    const isKept = value === null || (isZero(value) && name !== 'output_tokens' && name in before);
    if (!isKept && name !== '__proto__') merged[name] = value;
  }
  return merged;
}

/** Returns whether a value is 0, or an object of zeros. */
const isZero = (value: unknown): boolean =>
  value === 0 || Object.values(asObject(value) ?? { value }).every((count) => count === 0);

/** Collects the usage of a stream, whose events replace counts and never add to them. */
export class StreamUsage {
  private counts: JsonObject = {};

  /** Adds a usage and returns the total so far; undefined before the first usage. */
  add(usage: unknown): TokenUsage | undefined {
    this.counts = mergedUsage(this.counts, usage);
    return decodeUsage(this.counts);
  }
}

const TIERS: ReadonlySet<string> = new Set(['standard', 'priority', 'batch']);

/** Writes a usage. The SDK's types require all members, so an unknown count is 0. */
export function encodeUsage(usage: TokenUsage = NO_TOKENS, serviceTier?: string): JsonObject {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning, searches = 0 } = usage;
  return {
    input_tokens: Math.max(0, input - cacheRead - cacheWrite),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: {
      ephemeral_5m_input_tokens: Math.max(0, cacheWrite - cacheWrite1h),
      ephemeral_1h_input_tokens: cacheWrite1h,
    },
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: searches > 0 ? { web_search_requests: searches, web_fetch_requests: 0 } : null,
    service_tier: serviceTier !== undefined && TIERS.has(serviceTier) ? serviceTier : null,
    inference_geo: null,
    speed: null,
  };
}

export const serviceTierOf = (usage: JsonObject): string | undefined =>
  asString(usage['service_tier']) ?? undefined;
