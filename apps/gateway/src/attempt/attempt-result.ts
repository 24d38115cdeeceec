import { GatewayError, toGatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import { retryAfterMs, type AttemptOutcome } from '@gw/routing';
import { valueOf } from '../http/header-rules';
import type { GatewayResponse } from './gateway-response';
import type { RequestContext } from '../core/request-context';
import { failureOf } from './call-failure';

/** What became of an attempt. */
export type AttemptResult =
  | { readonly answer: GatewayResponse }
  | { readonly failure: GatewayError; readonly outcome: Omit<AttemptOutcome, 'elapsedMs'> };

/** What a guardrail says in place of an answer. */
const DENIED = 446;

/**
 * Of an attempt that was not made, or whose answer is withheld: what was thrown says why. Status 446 is a guardrail's denial; any
 * other is the gateway's own refusal, such as a limit.
 */
export function refusedAttempt(thrown: unknown): AttemptResult {
  const failure = toGatewayError(thrown);
  return { failure, outcome: without(failure.status, failure.status === DENIED ? 'denied' : 'refused') };
}

/** Of an attempt whose call failed before anything of an answer could be used. */
export function brokenAttempt(
  error: OutboundError,
  context: RequestContext,
  { upstream, cache }: GatewayResponse,
): AttemptResult {
  const failure = failureOf(error, context, upstream);
  const isOurs = error.failure === 'aborted' || error.failure === 'stopped';
  const outcome = without(failure.status, isOurs ? 'interrupted' : error.failure);
  return { failure, outcome: cache?.isShared === true ? { ...outcome, shared: true } : outcome };
}

/** `elapsedMs`: until the answer began, or was no longer waited for. */
export function outcomeOf(tried: AttemptResult, elapsedMs: number): AttemptOutcome {
  if ('failure' in tried) return { ...tried.outcome, elapsedMs };
  const { status, headers, cache } = tried.answer;
  const outcome = { status, failure: null, retryAfterMs: null, elapsedMs };
  // Neither a shared call nor a stored answer says anything of the target now.
  const reported = cache?.isFree === true ? { ...outcome, shared: true } : outcome;
  if (status < 400) return reported;
  return { ...reported, retryAfterMs: retryAfterMs((name) => valueOf(headers, name), Date.now(), status) };
}

const without = (status: number, failure: AttemptOutcome['failure']): Omit<AttemptOutcome, 'elapsedMs'> => ({
  status,
  failure,
  retryAfterMs: null,
});
