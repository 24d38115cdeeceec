import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';

/** The error for a response that broke off after it had begun. */
export function brokenResponse(error: OutboundError): GatewayError {
  switch (error.failure) {
    case 'timeout':
      return new GatewayError('provider_timeout', { cause: error });
    case 'stopped':
      return gatewayStopping(error);
    case 'refused':
    case 'unreachable':
    case 'interrupted':
    case 'redirected':
    case 'aborted':
      return new GatewayError('stream_interrupted', { cause: error });
  }
}

/**
 * The error for requests that are still in flight at the end of the shutdown grace period, and for
 * later ones.
 */
export const gatewayStopping = (cause?: unknown): GatewayError =>
  new GatewayError('gateway_stopping', { headers: { 'retry-after': '1' }, cause });
