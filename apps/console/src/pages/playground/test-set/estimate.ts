import type { ResponseOf } from '../../../api';
import { parseE8 } from '../../../ui/format';
import type { RunRequest } from '../../../gateway';

type Model = ResponseOf<'workspaceModels_list'>['data'][number];

/** Prices in 1e-8 USD for a million tokens. */
export interface TokenPrices {
  readonly input: bigint;
  readonly output: bigint;
}

/** Assumed bytes of a token. */
const TOKEN_BYTES = 4;
/** Assumed tokens of an attached file or image of any size. */
const MEDIA_TOKENS = 1_000;
/** Assumed tokens of a response whose request sets no maximum. */
export const ASSUMED_OUTPUT = 500;
const PRICED_TOKENS = 1_000_000n;
/** Members of a body that limit the length of the response. */
const BOUNDS = ['max_tokens', 'max_output_tokens', 'max_completion_tokens'];

/** Returns the prices of a model; null when one of the two is unknown or depends on the amount. */
export function pricesOf({ prices }: Pick<Model, 'prices'>): TokenPrices | null {
  const of = (unit: string): bigint | null => parseE8(prices.find((one) => one.unit === unit)?.price_exact);
  const [input, output] = [of('input'), of('output')];
  return input === null || output === null ? null : { input, output };
}

function tokensIn(value: unknown): number {
  if (typeof value === 'string')
    return value.startsWith('data:') || value.length > 1_000_000
      ? MEDIA_TOKENS
      : Math.ceil(new TextEncoder().encode(value).length / TOKEN_BYTES);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + tokensIn(item), 0);
}

/** Estimates the input tokens of a request and its maximum output tokens. */
export function tokensOf({ body }: Pick<RunRequest, 'body'>): {
  readonly input: number;
  readonly output: number;
} {
  if (body === null || typeof body === 'string' || body instanceof FormData)
    return { input: typeof body === 'string' ? tokensIn(body) : 0, output: ASSUMED_OUTPUT };
  const bound = BOUNDS.map((name) => body[name]).find((value) => Number.isFinite(value) && Number(value) > 0);
  return { input: tokensIn(body), output: typeof bound === 'number' ? bound : ASSUMED_OUTPUT };
}

/** Estimated cost of a request in 1e-8 USD, rounded up; null without prices. */
export function estimateOf(request: Pick<RunRequest, 'body'>, prices: TokenPrices | null): bigint | null {
  // Recordings are priced by their duration, which is unknown here.
  if (prices === null || request.body instanceof FormData) return null;
  const { input, output } = tokensOf(request);
  const total = BigInt(Math.ceil(input)) * prices.input + BigInt(Math.ceil(output)) * prices.output;
  return (total + PRICED_TOKENS - 1n) / PRICED_TOKENS;
}
