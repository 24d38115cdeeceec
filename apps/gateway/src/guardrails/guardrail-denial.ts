import {
  denialOf,
  hookResults,
  type GuardrailResult,
  type HookResults,
  type StageVerdict,
} from '@gw/guardrails';
import { GatewayError, type ErrorBody } from '@gw/kernel';

/**
 * The error with status 446 of a request or response that guardrails deny. Its body lists the
 * verdicts next to the error.
 */
export class GuardrailDenial extends GatewayError {
  readonly results: HookResults;

  constructor(verdict: StageVerdict, before: readonly GuardrailResult[], after: readonly GuardrailResult[]) {
    const { type, options } = denialOf(verdict);
    super(type, options);
    this.results = hookResults(before, after);
  }

  override toBody(requestId: string | null): ErrorBody & { readonly hook_results: HookResults } {
    return { ...super.toBody(requestId), hook_results: this.results };
  }
}
