import { GatewayError } from '@gw/kernel';
import type { OutboundError } from '@gw/outbound';

/** What became of an answer that had begun and broke off. */
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

/** For requests that are still in flight when the grace period of a shutdown is over, and for those that come later. */
export const gatewayStopping = (cause?: unknown): GatewayError =>
  new GatewayError('gateway_stopping', { headers: { 'retry-after': '1' }, cause });
