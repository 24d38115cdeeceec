import { GatewayError, retryAfterMs, toGatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';
import type { AttemptOutcome } from '@gw/routing';
import { valueOf } from '../http/header-rules';
import type { GatewayResponse } from './gateway-response';
import type { RequestContext } from '../core/request-context';
import { failureOf } from './call-failure';

/** Result of an attempt: a response, or a failure. */
export type AttemptResult =
  | { readonly response: GatewayResponse }
  | { readonly failure: GatewayError; readonly outcome: Omit<AttemptOutcome, 'elapsedMs'> };

/** Status of a guardrail denial. */
const DENIED = 446;

/**
 * Converts a thrown error to the result of an attempt that was not made, or whose response is
 * withheld. Status 446 is a guardrail denial; any other status is a refusal by the gateway, such as
 * that of a limit.
 */
export function refusedAttempt(thrown: unknown): AttemptResult {
  const failure = toGatewayError(thrown);
  return { failure, outcome: without(failure.status, failure.status === DENIED ? 'denied' : 'refused') };
}

/** Returns the result of an attempt whose call failed before its response could be used. */
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

/** `elapsedMs`: milliseconds until the response began or waiting ended. */
export function outcomeOf(result: AttemptResult, elapsedMs: number): AttemptOutcome {
  if ('failure' in result) return { ...result.outcome, elapsedMs };
  const { status, headers, cache } = result.response;
  const outcome = { status, failure: null, retryAfterMs: null, elapsedMs };
  // Shared calls and stored responses are not evidence about the target's current state.
  const reported = cache?.isFree === true ? { ...outcome, shared: true } : outcome;
  if (status < 400) return reported;
  return { ...reported, retryAfterMs: retryAfterMs((name) => valueOf(headers, name), Date.now(), status) };
}

const without = (status: number, failure: AttemptOutcome['failure']): Omit<AttemptOutcome, 'elapsedMs'> => ({
  status,
  failure,
  retryAfterMs: null,
});
