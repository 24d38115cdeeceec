import type { Usage } from '@gw/contracts';
import { CREDIBLE_TOKENS_MAX } from '@gw/limits';

/**
 * Whether the counts are implausible; the response is then charged as if it had reported none.
 * `responses` is the number of responses whose usage is summed; it multiplies the bound.
 */
export const isImplausible = ({ inputTokens, outputTokens }: Usage, responses = 1): boolean =>
  !isPlausible(inputTokens, responses) || !isPlausible(outputTokens, responses);

const isPlausible = (tokens: number, responses: number): boolean =>
  tokens >= 0 && tokens <= CREDIBLE_TOKENS_MAX * responses;
