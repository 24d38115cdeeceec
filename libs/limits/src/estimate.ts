import { SharedEntries, type Tenant } from '@gw/kernel';
import type { Estimate } from './reservation';

/** How much output a request may produce. */
export interface RequestedOutput {
  /**
   * Maximum tokens of one response, from the request; Infinity when it cannot be read, null when
   * none is given.
   */
  readonly bound: number | null;
  /** Reasoning tokens; part of `bound` if there is one. */
  readonly thinking: number;
  /** Responses per prompt. */
  readonly choices: number;
  readonly prompts: number;
}

export interface RequestSize {
  /** Bytes of the body. A text never has more tokens than bytes. */
  readonly bytes: number;
  readonly requested: RequestedOutput;
  /** Tokens of the model's largest response; null when unknown. */
  readonly modelMax: number | null;
  /** Source of learned response sizes; null when none may be used. */
  readonly source: ResponseSource | null;
}

/** A target whose response sizes are learned and used within one tenant only. */
export interface ResponseSource {
  readonly tenant: Tenant;
  /** Identifies the saved provider and the model; unique among all tenants. */
  readonly key: string;
}

/** Input and output tokens that a request may use. */
export interface TokenEstimate {
  readonly input: number;
  readonly output: number;
}

export interface TokenEstimator {
  /**
   * Estimates the likely maximum. Each response counts with the source's learned 95th percentile or
   * the request's own bound, whichever is less; for a source without any response yet, with the
   * full bound.
   */
  likely(size: RequestSize): TokenEstimate;
  /**
   * Estimates the possible maximum, for strict limits: one token per byte, and the full bound per
   * response.
   */
  most(size: RequestSize): TokenEstimate;
  /** Learns from the response to a request. */
  learn(size: Omit<RequestSize, 'bytes'>, outputTokens: number): void;
}

/** English text has about four bytes per token; code and other scripts have three. */
export const BYTES_PER_TOKEN = 3;
const OUTPUT_USUAL = 1_024;
/** Output tokens of a response that neither its request nor the catalogue bounds. */
const OUTPUT_MAX_UNKNOWN = 4_096;
/**
 * Upper bound on estimated output tokens, so that cost stays a safe integer; a thousand times the
 * largest context window.
 */
const OUTPUT_MAX = 1_000_000_000;
/**
 * The maximum that OpenAI accepts. A larger request is unlikely to succeed, so no more is reserved.
 */
const CHOICES_LIKELY = 128;
const PROMPTS_LIKELY = 2_048;
/** One step towards the percentile, as a fraction of the estimate. */
const STEP = 0.05;
const PERCENTILE = 0.95;
/** Enough for about 10,000 models. */
const LEARNED_BYTES_MAX = 4 * 1_048_576;
const ENTRY_BYTES = 200;

interface Learned {
  readonly key: string;
  tokens: number;
}

/**
 * Creates an estimator that remembers sources in at most `bytesMax` bytes, shared by all
 * workspaces. A workspace with too many sources forgets its own least recently used ones; a
 * forgotten source starts again as new.
 */
export function createTokenEstimator(bytesMax = LEARNED_BYTES_MAX): TokenEstimator {
  const learned = new SharedEntries<Learned>({
    bytesMax,
    sizeOf: ({ key }) => ENTRY_BYTES + 2 * key.length,
    now: () => 0,
  });
  const expected = (source: ResponseSource | null): number | null => {
    const known = source === null ? undefined : learned.get(source.key);
    return known === undefined ? null : Math.ceil(known.tokens);
  };
  return {
    likely(size) {
      const { requested, source } = size;
      const each = expected(source) ?? ownBound(requested) ?? OUTPUT_USUAL + requested.thinking;
      const responses =
        Math.min(requested.choices, CHOICES_LIKELY) * Math.min(requested.prompts, PROMPTS_LIKELY);
      const output = responses * Math.min(largestResponse(size), each);
      return { input: Math.ceil(size.bytes / BYTES_PER_TOKEN), output: Math.min(OUTPUT_MAX, output) };
    },
    most({ bytes, requested, modelMax, source }) {
      const usual = Math.max(OUTPUT_MAX_UNKNOWN, 4 * (expected(source) ?? 0));
      const each = ownBound(requested) ?? Math.min(modelMax ?? Infinity, usual + requested.thinking);
      return { input: bytes, output: Math.min(OUTPUT_MAX, requested.choices * requested.prompts * each) };
    },
    learn(size, outputTokens) {
      const { source, requested } = size;
      if (source === null || !Number.isSafeInteger(outputTokens) || outputTokens < 0) return;
      const seen = Math.min(largestResponse(size), outputTokens / (requested.choices * requested.prompts));
      const known = learned.get(source.key);
      if (known === undefined) {
        learned.set(source.tenant, source.key, { key: source.key, tokens: Math.max(1, seen) }, Infinity);
        return;
      }
      // Moves up 19 times as far for a larger response as down for a smaller one, so 5 % stay
      // above.
      const step = Math.max(1, known.tokens) * STEP;
      known.tokens += seen > known.tokens ? step * PERCENTILE : -step * (1 - PERCENTILE);
      known.tokens = Math.max(1, known.tokens);
    },
  };
}

/** Includes reasoning tokens. */
const ownBound = ({ bound, thinking }: RequestedOutput): number | null =>
  bound === null ? null : Math.max(bound, thinking);

/** Returns the largest credible size of one response, by the request and the model. */
function largestResponse({ requested, modelMax }: Pick<RequestSize, 'requested' | 'modelMax'>): number {
  const bound = ownBound(requested) ?? Infinity;
  return Math.min(
    bound,
    modelMax ?? (bound === Infinity ? OUTPUT_MAX_UNKNOWN + requested.thinking : Infinity),
  );
}

/** Builds an estimate; `priceOf` returns the cost of tokens, or null when no price is known. */
export const estimateOf = (
  { input, output }: TokenEstimate,
  priceOf: (tokens: TokenEstimate) => number | null,
): Estimate => ({ cost: priceOf({ input, output }), tokens: input + output });
