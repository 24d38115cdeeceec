import type { LogRecord } from '@gw/contracts';
import type { GatewayError } from '@gw/kernel';

/** What is known of how a request ends. Features report these facts; none of them decides the outcome. */
export interface OutcomeFacts {
  /** The response broke off, or the gateway ended it. */
  readonly isCut: boolean;
  /** The client left before the end of the response. */
  readonly hasClientLeft: boolean;
  /** A rule ended it without an error of the gateway. */
  readonly isDenied: boolean;
  /** The error that the gateway has put in the place of a response, or in its middle. */
  readonly failure: GatewayError | null;
  /** The response is an error of the provider, handed on in the client's dialect. */
  readonly isProviderError: boolean;
}

/** The outcome of a request, decided here alone. The first fact that applies wins. */
export function outcomeOf(facts: OutcomeFacts): LogRecord['outcome'] {
  if (facts.isCut) return 'interrupted';
  if (facts.hasClientLeft) return 'client_closed';
  if (facts.isDenied) return 'denied';
  if (facts.failure !== null) return facts.failure.status < 500 ? 'denied' : 'failed';
  return facts.isProviderError ? 'provider_error' : 'ok';
}
