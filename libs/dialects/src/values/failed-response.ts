import type { Candidate } from '../response';
import { answerInvalid } from './tool-arguments';

/**
 * Returns the candidates; throws `provider_answer_invalid` when all of them failed before they had
 * content.
 */
export function withoutFailure(candidates: readonly Candidate[]): readonly Candidate[] {
  const hasFailed = candidates.every(({ finish, parts }) => finish.reason === 'error' && parts.length === 0);
  if (hasFailed) {
    const reason = candidates[0]?.finish.raw ?? 'no candidate';
    throw answerInvalid(`The response ended with an error (${reason}) and has no content.`);
  }
  return candidates;
}
