import {
  denialOf,
  hookResults,
  type GuardrailResult,
  type HookResults,
  type StageVerdict,
} from '@gw/guardrails';
import { GatewayError, type ErrorBody } from '@gw/kernel';

/** Status 446: guardrails withhold a request or its response. The verdicts are listed next to the error. */
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
