import { LRUCache } from 'lru-cache';
import type { Estimate } from './reservation';

export interface RequestSize {
  /** Bytes of the body; for a text, tokens are never more. */
  readonly bytes: number;
  /** `max_tokens` or what the route calls it; null: not given. */
  readonly maxOutputTokens: number | null;
  /** Provider and model. */
  readonly model: string;
}

/** Input and output tokens that a request may use. */
export interface TokenEstimate {
  readonly input: number;
  readonly output: number;
}

export interface TokenEstimator {
  /**
   * What a request is likely to use at most: the model's learned 95th percentile or its own bound, whichever is less; all of the bound for a
   * model that has not answered yet.
   */
  likely(size: RequestSize): TokenEstimate;
  /** What it can use at most, for strict limits: a token for each byte, and all of `max_tokens`. */
  most(size: RequestSize): TokenEstimate;
  /** Learns from an answer. */
  learn(model: string, outputTokens: number): void;
}

/** English text has about four bytes to a token, code and other scripts three. */
const BYTES_PER_TOKEN = 3;
const OUTPUT_UNKNOWN = 1_024;
const OUTPUT_MAX = 1_000_000;
/** A step towards the percentile, as a part of the estimate. */
const STEP = 0.05;
const PERCENTILE = 0.95;

/** Remembers at most `modelsMax` models; the one used longest ago goes, and is taken as 1,024 tokens when it comes back. */
export function createTokenEstimator(modelsMax = 4_096): TokenEstimator {
  const learned = new LRUCache<string, { tokens: number }>({ max: modelsMax });
  const expected = (model: string): number | null => {
    const known = learned.get(model);
    return known === undefined ? null : Math.ceil(known.tokens);
  };
  return {
    likely({ bytes, maxOutputTokens, model }) {
      const bound = maxOutputTokens ?? Infinity;
      const known = expected(model) ?? maxOutputTokens ?? OUTPUT_UNKNOWN;
      return { input: Math.ceil(bytes / BYTES_PER_TOKEN), output: Math.min(bound, known) };
    },
    most({ bytes, maxOutputTokens, model }) {
      return { input: bytes, output: maxOutputTokens ?? 4 * (expected(model) ?? OUTPUT_UNKNOWN) };
    },
    learn(model, outputTokens) {
      if (!Number.isSafeInteger(outputTokens) || outputTokens < 0) return;
      const seen = Math.min(outputTokens, OUTPUT_MAX);
      const known = learned.get(model);
      if (known === undefined) {
        learned.set(model, { tokens: Math.max(1, seen) });
        return;
      }
      // Moves up 19 times as far for an answer above as it moves down for one below: it rests where 5 % lie above.
      const step = Math.max(1, known.tokens) * STEP;
      known.tokens += seen > known.tokens ? step * PERCENTILE : -step * (1 - PERCENTILE);
      known.tokens = Math.min(OUTPUT_MAX, Math.max(1, known.tokens));
    },
  };
}

/** What tokens would cost is for the caller to say; null: no price is known. */
export const estimateOf = (
  { input, output }: TokenEstimate,
  priceOf: (tokens: TokenEstimate) => number | null,
): Estimate => ({ cost: priceOf({ input, output }), tokens: input + output });
