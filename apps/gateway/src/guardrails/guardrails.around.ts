import type { AroundStage, AttemptCall, Next } from '../attempt/attempt-call';

/** Has the guardrails of a request judge each attempt: what is sent, and what comes back. */
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
