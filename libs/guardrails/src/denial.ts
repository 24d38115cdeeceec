import { GatewayError, type ErrorBody } from '@gw/kernel';
import { hookResults, type GuardrailResult, type HookResults, type StageVerdict } from './results';

/** Returns the error of a denied request or response: status 446. */
export const denialOf = ({ message }: StageVerdict): GatewayError =>
  new GatewayError('hooks_failed', message === null ? {} : { message });

/** Returns the body of a denial: the error, with the verdicts in `hook_results` next to it. */
export const denialBody = (
  verdict: StageVerdict,
  before: readonly GuardrailResult[],
  after: readonly GuardrailResult[],
  requestId: string | null,
): ErrorBody & { readonly hook_results: HookResults } => ({
  ...denialOf(verdict).toBody(requestId),
  hook_results: hookResults(before, after),
});
