import type { LogRecord } from '@gw/contracts';
import type { GatewayError } from '@gw/kernel';

/** Facts about how a request ended. Features report them; only `outcomeOf` derives the outcome. */
export interface OutcomeFacts {
  /** The response broke off, or the gateway ended it early. */
  readonly isCut: boolean;
  /** The client disconnected before the end of the response. */
  readonly hasClientLeft: boolean;
  /** A rule ended the request without an error of the gateway. */
  readonly isDenied: boolean;
  /** The error that the gateway sent instead of a response, or in the middle of one. */
  readonly failure: GatewayError | null;
  /** The response is a provider error, sent on in the client's dialect. */
  readonly isProviderError: boolean;
}

/** Derives the outcome of a request. The first fact that applies decides. */
export function outcomeOf(facts: OutcomeFacts): LogRecord['outcome'] {
  if (facts.isCut) return 'interrupted';
  if (facts.hasClientLeft) return 'client_closed';
  if (facts.isDenied) return 'denied';
  if (facts.failure !== null) return facts.failure.status < 500 ? 'denied' : 'failed';
  return facts.isProviderError ? 'provider_error' : 'ok';
}
