import { SharedEntries, type Tenant } from '@gw/kernel';
import type { Estimate } from './reservation';

/** How much output a request asks for. */
export interface RequestedOutput {
  /** Tokens of one answer, by the request; Infinity: its bound cannot be read; null: it names none. */
  readonly bound: number | null;
  /** Tokens for reasoning, a part of the bound where there is one. */
  readonly thinking: number;
  /** Answers to each prompt. */
  readonly choices: number;
  readonly prompts: number;
}

export interface RequestSize {
  /** Bytes of the body; for a text, tokens are never more. */
  readonly bytes: number;
  readonly requested: RequestedOutput;
  /** Tokens of the largest answer that the model can give; null: not known. */
  readonly modelMax: number | null;
  /** Whose answers say what the model usually gives; null: none are believed. */
  readonly source: AnswerSource | null;
}

/** A target whose answers its own tenant learns from, and no other. */
export interface AnswerSource {
  readonly tenant: Tenant;
  /** Of the saved provider and the model, unique among all tenants. */
  readonly key: string;
}

/** Input and output tokens that a request may use. */
export interface TokenEstimate {
  readonly input: number;
  readonly output: number;
}

export interface TokenEstimator {
  /**
   * What a request is likely to use at most: for each answer the source's learned 95th percentile or the request's own bound, whichever is
   * less; all of the bound for a source that has not answered yet.
   */
  likely(size: RequestSize): TokenEstimate;
  /** What it can use at most, for strict limits: a token for each byte, and all of the bound for each answer. */
  most(size: RequestSize): TokenEstimate;
  /** Learns from the answer to a request. */
  learn(size: Omit<RequestSize, 'bytes'>, outputTokens: number): void;
}

/** English text has about four bytes to a token, code and other scripts three. */
const BYTES_PER_TOKEN = 3;
const OUTPUT_USUAL = 1_024;
/** Of an answer that neither its request nor the catalogue bounds. */
const OUTPUT_MAX_UNKNOWN = 4_096;
/** No request is estimated at more output, so that money stays a whole number; a thousand times the largest context window. */
const OUTPUT_MAX = 1_000_000_000;
/** The most that OpenAI takes: more is not likely to be answered, so nothing is reserved or charged for it. */
const CHOICES_LIKELY = 128;
const PROMPTS_LIKELY = 2_048;
/** A step towards the percentile, as a part of the estimate. */
const STEP = 0.05;
const PERCENTILE = 0.95;
/** Some 10,000 models. */
const LEARNED_BYTES_MAX = 4 * 1_048_576;
const ENTRY_BYTES = 200;

interface Learned {
  readonly key: string;
  tokens: number;
}

/**
 * Remembers sources in at most `bytesMax`, which workspaces share: one with too many forgets its own, those used longest ago first. A
 * source that is forgotten is taken as new when it comes back.
 */
export function createTokenEstimator(bytesMax = LEARNED_BYTES_MAX): TokenEstimator {
  const learned = new SharedEntries<Learned>({
    bytesMax,
    sizeOf: ({ key }) => ENTRY_BYTES + 2 * key.length,
    now: () => 0,
  });
  const expected = (source: AnswerSource | null): number | null => {
    const known = source === null ? undefined : learned.get(source.key);
    return known === undefined ? null : Math.ceil(known.tokens);
  };
  return {
    likely(size) {
      const { requested, source } = size;
      const each = expected(source) ?? ownBound(requested) ?? OUTPUT_USUAL + requested.thinking;
      const answers =
        Math.min(requested.choices, CHOICES_LIKELY) * Math.min(requested.prompts, PROMPTS_LIKELY);
      const output = answers * Math.min(largestAnswer(size), each);
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
      const seen = Math.min(largestAnswer(size), outputTokens / (requested.choices * requested.prompts));
      const known = learned.get(source.key);
      if (known === undefined) {
        learned.set(source.tenant, source.key, { key: source.key, tokens: Math.max(1, seen) }, Infinity);
        return;
      }
      // Moves up 19 times as far for an answer above as it moves down for one below: it rests where 5 % lie above.
      const step = Math.max(1, known.tokens) * STEP;
      known.tokens += seen > known.tokens ? step * PERCENTILE : -step * (1 - PERCENTILE);
      known.tokens = Math.max(1, known.tokens);
    },
  };
}

/** Reasoning is a part of it. */
const ownBound = ({ bound, thinking }: RequestedOutput): number | null =>
  bound === null ? null : Math.max(bound, thinking);

/** Tokens of one answer that are believed at most: those that the request and the model allow. */
function largestAnswer({ requested, modelMax }: Pick<RequestSize, 'requested' | 'modelMax'>): number {
  const bound = ownBound(requested) ?? Infinity;
  return Math.min(
    bound,
    modelMax ?? (bound === Infinity ? OUTPUT_MAX_UNKNOWN + requested.thinking : Infinity),
  );
}

/** What tokens would cost is for the caller to say; null: no price is known. */
export const estimateOf = (
  { input, output }: TokenEstimate,
  priceOf: (tokens: TokenEstimate) => number | null,
): Estimate => ({ cost: priceOf({ input, output }), tokens: input + output });
