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
 * Collects the usage of a stream. Later events repeat counts or set them to null: they replace
 * earlier ones and are never added.
 */
export class StreamUsage {
  private readonly counts: JsonObject = {};

  /** Adds a usage and returns the total so far; undefined before the first usage. */
  add(usage: unknown): TokenUsage | undefined {
    const given = asObject(usage);
    for (const name of COUNTS) {
      const count = given?.[name];
      if (count !== undefined && count !== null) this.counts[name] = count;
    }
    return decodeUsage(this.counts);
  }
}

const COUNTS = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cache_creation',
  'output_tokens',
  'output_tokens_details',
  'server_tool_use',
] as const;

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
