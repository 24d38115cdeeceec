import type { Usage } from '@gw/contracts';

/** Ten times the largest context window that a provider offers. */
const TOKENS_MAX = 100_000_000;

/**
 * Whether no provider can mean such counts. The answer is then charged as if it had reported none. `answers`: how many answers the
 * usage adds up; the bound is that of one, times their number.
 */
export const isAbsurd = ({ inputTokens, outputTokens }: Usage, answers = 1): boolean =>
  !isSound(inputTokens, answers) || !isSound(outputTokens, answers);

const isSound = (tokens: number, answers: number): boolean => tokens >= 0 && tokens <= TOKENS_MAX * answers;
