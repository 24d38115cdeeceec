import type { AroundStage, AttemptCall, Next } from '../attempt/attempt-call';

/**
 * Runs the guardrails of a request around each attempt: on the request sent and on the response.
 */
export class GuardrailsAround implements AroundStage {
  isUsed({ context }: AttemptCall): boolean {
    return context.guardrails !== null;
  }

  around(call: AttemptCall, next: Next): void {
    call.context.guardrails?.attempt(call.upstream, call.listener, (request, listener) => {
      call.request = request;
      call.listener = listener;
      next.begin(call);
    });
  }
}
