import type { Usage } from '@gw/contracts';

/** Ten times the largest context window that a provider offers. */
const TOKENS_MAX = 100_000_000;

/**
 * Whether the counts are implausible; the response is then charged as if it had reported none. `answers`:
 * number of responses that the usage adds up; the bound is multiplied by it.
 */
export const isAbsurd = ({ inputTokens, outputTokens }: Usage, responses = 1): boolean =>
  !isSound(inputTokens, responses) || !isSound(outputTokens, responses);

const isSound = (tokens: number, responses: number): boolean =>
  tokens >= 0 && tokens <= TOKENS_MAX * responses;
