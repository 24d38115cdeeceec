import { GatewayError, type ErrorBody } from '@gw/kernel';
import { hookResults, type GuardrailResult, type HookResults, type StageVerdict } from './results';

/** The error that a caller gets whose request or answer is denied: status 446. */
export const denialOf = ({ message }: StageVerdict): GatewayError =>
  new GatewayError('hooks_failed', message === null ? {} : { message });

/** Its body, with the verdicts next to the error. */
export const denialBody = (
  verdict: StageVerdict,
  before: readonly GuardrailResult[],
  after: readonly GuardrailResult[],
  requestId: string | null,
): ErrorBody & { readonly hook_results: HookResults } => ({
  ...denialOf(verdict).toBody(requestId),
  hook_results: hookResults(before, after),
});
